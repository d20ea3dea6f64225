//! `arena judge`: one answer a question, whatever the question.

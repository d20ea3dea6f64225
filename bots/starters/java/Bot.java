import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * A complete arena bot without libraries: it plays every game by answering the sample move.
 *
 * <p>To play better, read the position from the "state" field and return a move of your own from choose.
 */
public class Bot {
    /** Your idea goes here: return a legal move as JSON. "state" and "legal_moves" are fields of the request too. */
    static String choose(String request) {
        return field(request, "sample_move");
    }

    /** The reply to one message of the referee, or null if no reply is due. */
    static String answer(String line) {
        String id = field(line, "id");
        switch (field(line, "type")) {
            case "\"hello\"":
                return "{\"type\":\"hello\",\"protocol\":1,\"name\":\"java starter\"}";
            case "\"new_game\"":
                return "{\"type\":\"ready\",\"id\":" + id + "}";
            case "\"move_request\"":
                return "{\"type\":\"move\",\"id\":" + id + ",\"move\":" + choose(line) + "}";
            default:
                return null; // "game_over", and types of later protocol versions
        }
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (field(line, "type").equals("\"quit\"")) {
                break;
            }
            String reply = answer(line);
            if (reply != null) {
                System.out.println(reply);
                System.out.flush(); // without it the reply may wait in a buffer
            }
        }
    }

    /**
     * The JSON text of field {@code name} of the object in {@code line}; empty if it has none. Fields of inner objects do
     * not count, but {@code field(state, "board")} reads them. Relies on names without escapes.
     */
    static String field(String line, String name) {
        int at = skipSpace(line, 0);
        while (at < line.length() && (line.charAt(at) == '{' || line.charAt(at) == ',')) {
            int key = skipSpace(line, at + 1);
            int keyEnd = skipValue(line, key);
            int colon = skipSpace(line, keyEnd);
            if (colon >= line.length() || line.charAt(colon) != ':') {
                break;
            }
            int value = skipSpace(line, colon + 1);
            int end = skipValue(line, value);
            if (line.substring(key, keyEnd).equals('"' + name + '"')) {
                return line.substring(value, end);
            }
            at = skipSpace(line, end);
        }
        return "";
    }

    static int skipSpace(String line, int at) {
        while (at < line.length() && " \t\r\n".indexOf(line.charAt(at)) >= 0) {
            at++;
        }
        return at;
    }

    /** The end of the JSON value that begins at {@code at}. */
    static int skipValue(String line, int at) {
        int depth = 0;
        boolean inString = false;
        for (; at < line.length(); at++) {
            char c = line.charAt(at);
            if (inString) {
                if (c == '\\') {
                    at++; // an escaped character, perhaps a quote
                } else if (c == '"') {
                    inString = false;
                }
            } else if (depth == 0 && " \t\r\n:,}]".indexOf(c) >= 0) {
                break; // belongs to the enclosing object
            } else if (c == '"') {
                inString = true;
            } else if (c == '{' || c == '[') {
                depth++;
            } else if (c == '}' || c == ']') {
                depth--;
            }
        }
        return at;
    }
}

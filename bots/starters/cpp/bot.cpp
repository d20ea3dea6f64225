// A complete arena bot without libraries: it plays every game by answering the sample move.
//
//     c++ -std=c++17 -O2 -o bot bot.cpp
//
// To play better, read the position from the "state" field and answer a move of your own. With a JSON library at hand
// you would use that instead of `field`.

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>

static constexpr std::string_view SPACE = " \t\r\n";

// `text` without the white space before it.
static std::string_view trimmed(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(SPACE), text.size()));
    return text;
}

// The length of the JSON value at the beginning of `text`.
static std::size_t value_length(std::string_view text)
{
    int depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (in_string) {
            if (c == '\\')
                ++at; // an escaped character, perhaps a quote
            else if (c == '"')
                in_string = false;
        } else if (depth == 0 && (SPACE.find(c) != SPACE.npos || c == ':' || c == ',' || c == '}' || c == ']')) {
            return at; // belongs to the object around the value
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return text.size();
}

// The value of field `name` of the object in `line`, as JSON text; empty if it has none. Fields of inner objects do not
// count, but `field(state, "board")` reads them. Relies on names without escapes.
static std::string_view field(std::string_view line, std::string_view name)
{
    line = trimmed(line);
    while (!line.empty() && (line[0] == '{' || line[0] == ',')) {
        line = trimmed(line.substr(1));
        const auto key = line.substr(0, value_length(line));
        line = trimmed(line.substr(key.size()));
        if (key.size() < 2 || line.empty() || line[0] != ':')
            break;
        line = trimmed(line.substr(1));
        const auto value = line.substr(0, value_length(line));
        if (key.substr(1, key.size() - 2) == name)
            return value;
        line = trimmed(line.substr(value.size()));
    }
    return {};
}

// Your idea goes here. Both arguments and the result are JSON text copied from the request.
static std::string_view choose(std::string_view /* state */, std::string_view sample_move)
{
    return sample_move;
}

int main()
{
    std::ios::sync_with_stdio(false);
    // std::flush after each line: without it the reply may wait in a buffer.
    for (std::string line; std::getline(std::cin, line);) {
        const auto type = field(line, "type"), id = field(line, "id");
        if (type == "\"hello\"") {
            std::cout << R"({"type":"hello","protocol":1,"name":"c++ starter"})" << '\n' << std::flush;
        } else if (type == "\"new_game\"") {
            std::cout << R"({"type":"ready","id":)" << id << "}\n" << std::flush;
        } else if (type == "\"move_request\"") {
            const auto move = choose(field(line, "state"), field(line, "sample_move"));
            std::cout << R"({"type":"move","id":)" << id << R"(,"move":)" << move << "}\n" << std::flush;
        } else if (type == "\"quit\"") {
            break;
        } // else: "game_over", or a type of a later protocol version; no answer
    }
}

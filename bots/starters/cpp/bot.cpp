// A complete arena bot without libraries: it plays every game by answering the sample move.
//
//     c++ -std=c++17 -O2 -o bot bot.cpp
//
// To play better, read the position from the "state" field and answer a move of your own. With a JSON library at hand
// you would use that instead of `field`.

#include <iostream>
#include <string>
#include <string_view>

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
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
            return at; // belongs to the object around the value
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return text.size();
}

// The value of field `name` of the object in `line`, as JSON text; empty if it has none. Fields of inner objects do not
// count. Relies on the referee writing JSON without spaces and names without escapes.
static std::string_view field(std::string_view line, std::string_view name)
{
    while (line.size() > 1 && (line[0] == '{' || line[0] == ',') && line[1] == '"') {
        line.remove_prefix(2);
        const auto end = line.find("\":");
        if (end == std::string_view::npos)
            break;
        const auto key = line.substr(0, end);
        line.remove_prefix(end + 2);
        const auto length = value_length(line);
        if (key == name)
            return line.substr(0, length);
        line.remove_prefix(length);
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

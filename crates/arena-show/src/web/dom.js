// What every script of a page uses to write into it. Names, comments and reasons are foreign text: they become text nodes
// and values of a fixed list of attributes, and nothing else.

"use strict";

const root = document.documentElement;

// A test reads these, so that no error goes unnoticed.
function noted(kind, what) {
  root.dataset[kind] = `${root.dataset[kind] ?? ""}${what}\n`;
}
addEventListener("error", (event) => noted("errors", event.message));
addEventListener("unhandledrejection", (event) => noted("errors", String(event.reason)));
document.addEventListener("securitypolicyviolation", (event) =>
  noted("violations", `${event.violatedDirective} ${event.blockedURI}`),
);

const ATTRIBUTES = new Set([
  "alt", "aria-current", "aria-describedby", "aria-label", "aria-labelledby", "aria-sort", "aria-valuetext", "autocomplete",
  "checked", "class", "cx", "cy", "d", "data-pair", "data-sort", "data-value", "disabled", "for", "height", "href", "id", "max", "min",
  "points", "r", "role", "rx", "scope", "spellcheck", "src", "tabindex", "text-anchor", "title", "type", "value", "viewBox",
  "width", "x", "x1", "x2", "y", "y1", "y2",
]);

const IMAGE = "data:image/svg+xml;charset=utf-8,";
// Addresses are places in the page, and images are data.
const BEGINNINGS = { href: "#", src: IMAGE };

// Sets attributes; null and false remove one.
function put(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (!ATTRIBUTES.has(name) || !String(value).startsWith(BEGINNINGS[name] ?? "")) {
      throw new Error(`attribute ${name} is not on the list`);
    }
    if (value === null || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : value);
  }
  return node;
}

// An element with attributes and children; strings become text.
function element(tag, attributes = {}, ...children) {
  const node = put(document.createElement(tag), attributes);
  node.append(...children);
  return node;
}

function drawing(tag, attributes = {}, ...children) {
  const node = put(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes);
  node.append(...children);
  return node;
}

function button(label, onPress, attributes = {}) {
  const node = element("button", { type: "button", ...attributes }, label);
  node.addEventListener("click", onPress);
  return node;
}

// Says something through the page's live region.
function announce(text) {
  const region = document.getElementById("announce");
  if (region) region.textContent = text;
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

function counted(count, noun, nouns = `${noun}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : nouns}`;
}

// Elements from data. Text only ever becomes text: nothing here, or anywhere else in the page, parses HTML.

type Child = Node | string | null | undefined | false;
type Properties = Record<string, unknown>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") element.className = String(value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name.includes("-") || name === "role" || name === "for" || name === "list") {
      element.setAttribute(name, String(value));
    } else (element as unknown as Properties)[name] = value;
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

// A name from a file: its own direction of writing cannot reorder what stands around it.
export function name(text: string): HTMLElement {
  return el("bdi", { class: "name" }, text);
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { value: text, class: "offscreen" });
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy"); // pages from disk may lack the clipboard of newer browsers
    area.remove();
    return copied;
  }
}

// The same for drawings.
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

// A button that copies what `text` gives, and says whether it did.
export function copyButton(label: string, text: () => string): HTMLElement {
  const button = el("button", { type: "button", class: "copy", onclick: copy }, label);
  async function copy(): Promise<void> {
    button.textContent = (await copyText(text())) ? "Copied" : "Could not copy";
    setTimeout(() => (button.textContent = label), 1500);
  }
  return button;
}

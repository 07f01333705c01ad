// Light and dark: what the system says, until the person says otherwise.

const dark = matchMedia("(prefers-color-scheme: dark)");

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : dark.matches;
}

export function toggleTheme(): void {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
}

export function onSystemTheme(change: () => void): void {
  dark.addEventListener("change", change);
}

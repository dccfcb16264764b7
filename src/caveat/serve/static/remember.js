// What was chosen before; a browser may refuse to keep anything.
export function remember(name, value) {
  try {
    localStorage.setItem(`caveat.${name}`, value);
  } catch {
    return;
  }
}

// The files and texts that a question is asked about: chosen, dropped or pasted; each a chip that can be removed.
import { by, icon, make } from "./elements.js";
import { Fault } from "./server.js";
import { onLanguage, say, size } from "./words.js";

const TABLES = /\.(csv|tsv|xlsx?|ods)$/i;
const TRIPLES = /\.(kb|nt|ttl)$/i;

export class Sources {
  #all = []; // {name, file} or {name, text}
  #changed;

  constructor(changed) {
    this.#changed = changed;
    this.#choosing();
    this.#dropping();
    this.#pasting();
    onLanguage(() => this.#show());
  }

  get length() {
    return this.#all.length;
  }

  add(files) {
    for (const file of files) this.#all.push({ name: this.#free(file.name), file, bytes: file.size });
    this.#show();
    this.#changed();
  }

  // As /ask takes them. Files go as they are, in base64: the server knows encodings and formats.
  async read() {
    return Promise.all(
      this.#all.map(async ({ name, file, text }) =>
        file ? { name, base64: await base64(name, file) } : { name, text },
      ),
    );
  }

  #free(name) {
    const taken = new Set(this.#all.map((source) => source.name));
    const [, stem, ending] = /^(.*?)(\.[^.]*)?$/s.exec(name);
    for (let number = 2, free = name; ; number++) {
      if (!taken.has(free)) return free;
      free = `${stem} (${number})${ending || ""}`;
    }
  }

  #remove(source) {
    const at = this.#all.indexOf(source);
    this.#all.splice(at, 1);
    this.#show();
    this.#changed();
    const chips = by("chips").querySelectorAll("button");
    (chips[Math.min(at, chips.length - 1)] || by("choose")).focus();
  }

  #show() {
    by("chips").replaceChildren(
      ...this.#all.map((source) =>
        make(
          "li",
          { class: "chip" },
          icon(pictureOf(source.name)),
          make("span", { class: "name", dir: "auto", title: source.name }, source.name),
          make("small", {}, size(source.bytes)),
          make(
            "button",
            { type: "button", "aria-label": say("remove", source.name), click: () => this.#remove(source) },
            icon("close"),
          ),
        ),
      ),
    );
    by("chips").hidden = !this.#all.length;
  }

  #choosing() {
    by("choose").addEventListener("click", () => by("files").click());
    by("files").addEventListener("change", () => {
      this.add(by("files").files);
      by("files").value = "";
    });
  }

  #dropping() {
    const shade = by("dropping");
    let depth = 0;
    const carriesFiles = (event) =>
      event.dataTransfer?.types.includes("Files") && !document.querySelector("dialog[open]");
    const show = (shown) => {
      depth = shown ? depth : 0;
      shade.hidden = !shown || by("ask").hidden;
    };
    addEventListener("dragenter", (event) => carriesFiles(event) && (depth++, show(true)));
    addEventListener("dragleave", () => --depth <= 0 && show(false));
    // A file dropped beside the field must not replace the page.
    addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
    addEventListener("drop", (event) => {
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      show(false);
      if (carriesFiles(event) && !by("ask").hidden) this.add(event.dataTransfer.files);
    });
    addEventListener("paste", (event) => {
      const files = event.clipboardData?.files;
      if (!files?.length || by("ask").hidden || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      this.add(files);
    });
  }

  #pasting() {
    const box = by("paste-box");
    const open = (shown) => {
      box.hidden = !shown;
      by("paste").setAttribute("aria-expanded", shown);
      by(shown ? "pasted" : "paste").focus();
    };
    by("paste").addEventListener("click", () => open(box.hidden));
    by("pasted-close").addEventListener("click", () => open(false));
    box.addEventListener("keydown", (event) => event.key === "Escape" && (event.stopPropagation(), open(false)));
    by("pasted-add").addEventListener("click", () => {
      const text = by("pasted").value;
      if (!text.trim()) {
        by("pasted").focus();
        return;
      }
      const name = this.#free(`${say("paste.name")}.${by("pasted-kind").value}`);
      this.#all.push({ name, text, bytes: new Blob([text]).size });
      by("pasted").value = "";
      open(false);
      this.#show();
      this.#changed();
      by("question").focus();
    });
  }
}

export const pictureOf = (name) => (TABLES.test(name) ? "table" : TRIPLES.test(name) ? "knowledge" : "file");

function base64(name, file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(new Fault(say("fault.file", name)));
    reader.readAsDataURL(file);
  });
}

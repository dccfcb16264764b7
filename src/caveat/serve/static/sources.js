// The files and texts of one's own that a question is asked about: chosen, dropped or pasted; kept until removed.
import { by, icon, make } from "./elements.js";
import { all, drop, freshId, put } from "./kept.js";
import { Fault } from "./server.js";
import { onLanguage, say, size } from "./words.js";

const TABLES = /\.(csv|tsv|xlsx?|ods)(\.gz)?$/i;
const TRIPLES = /\.(kb|nt|ttl)(\.gz)?$/i;
// In base 64 a file is so much larger.
const IN_REQUEST = 4 / 3;

export class Sources {
  #all = []; // {id, name, bytes, asked, file} or {…, text}
  #changed;
  #limits = {};

  // `changed` is told of a complaint, or of none.
  constructor(changed) {
    this.#changed = changed;
    this.#choosing();
    this.#dropping();
    this.#pasting();
    onLanguage(() => this.#show());
  }

  // Those that were given at an earlier visit.
  async load() {
    this.#all = [...(await all("files")), ...this.#all];
    this.#show();
  }

  set limits(limits) {
    this.#limits = limits;
    this.#show();
  }

  get length() {
    return this.#asked.length;
  }

  get #asked() {
    return this.#all.filter((source) => source.asked);
  }

  get #bytes() {
    return this.#asked.reduce((sum, { bytes, text }) => sum + (text === undefined ? IN_REQUEST : 1) * bytes, 0);
  }

  add(files) {
    for (const file of files) this.#keep({ name: this.#free(file.name), file, bytes: file.size });
    this.#told();
  }

  #keep(source) {
    const whole = { id: freshId(), asked: true, ...source };
    this.#all.push(whole);
    put("files", whole);
  }

  // As /ask takes them. Files go as they are, in base64: the server knows encodings and formats.
  async read() {
    return Promise.all(
      this.#asked.map(async ({ name, file, text }) =>
        file ? { name, base64: await base64(name, file) } : { name, text },
      ),
    );
  }

  // Why they cannot be asked together, where that is so.
  get complaint() {
    const { body_bytes: most, request_sources: sources } = this.#limits;
    if (most && this.#bytes > most) return say("fault.sum", size(this.#bytes / IN_REQUEST), size(most / IN_REQUEST));
    return sources && this.length > sources ? say("fault.many", this.length, sources) : "";
  }

  #told() {
    this.#show();
    this.#changed(this.complaint);
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
    drop("files", source.id);
    this.#told();
    const chips = by("chips").querySelectorAll(".remove");
    (chips[Math.min(at, chips.length - 1)] || by("choose")).focus();
  }

  #choose(source, asked) {
    source.asked = asked;
    put("files", source);
    this.#changed(this.complaint);
  }

  #show() {
    by("chips").replaceChildren(
      ...this.#all.map((source) => {
        const chosen = (event) => this.#choose(source, event.target.checked);
        return make(
          "li",
          { class: "chip" },
          make(
            "label",
            { title: source.name },
            make("input", { type: "checkbox", checked: source.asked, change: chosen, "aria-label": source.name }),
            icon(pictureOf(source.name)),
            make("span", { class: "name", dir: "auto" }, source.name),
            make("small", {}, size(source.bytes)),
          ),
          make(
            "button",
            {
              type: "button",
              class: "remove",
              "aria-label": say("remove", source.name),
              click: () => this.#remove(source),
            },
            icon("close"),
          ),
        );
      }),
    );
    by("chips").hidden = !this.#all.length;
    const { body_bytes: most, request_sources: sources } = this.#limits;
    by("limits").textContent = most ? say("files.limits", size(most / IN_REQUEST), sources) : "";
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
      this.#keep({ name, text, bytes: new Blob([text]).size });
      by("pasted").value = "";
      open(false);
      this.#told();
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

// The page: switches, tabs, and what each tab does.
import { asking } from "./ask.js";
import { showModels } from "./models.js";
import { scoring } from "./score.js";
import { switches } from "./switches.js";
import { tabs } from "./tabs.js";
import { tell } from "./words.js";

switches();
tell();
const { loaded } = asking();
scoring();
tabs(document.querySelector('[role="tablist"]'), (name) => name === "models" && showModels());
await loaded;
document.documentElement.dataset.ready = "";

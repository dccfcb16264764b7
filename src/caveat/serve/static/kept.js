// What the browser keeps for the next visit: questions with their replies, and files of one's own.
// Where it refuses to, they last as long as the page is open.
const VERSION = 1;
const STORES = ["turns", "files"];

let opening = null;

function opened() {
  opening ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open("caveat", VERSION);
      request.onupgradeneeded = () =>
        STORES.forEach((name) => request.result.createObjectStore(name, { keyPath: "id" }));
      request.onsuccess = () => resolve(request.result);
      request.onerror = request.onblocked = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
  return opening;
}

async function within(store, mode, work) {
  const database = await opened();
  if (!database) return null;
  return new Promise((resolve) => {
    try {
      const transaction = database.transaction(store, mode);
      const request = work(transaction.objectStore(store));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
}

// In the order in which they were made.
export const all = async (store) => (await within(store, "readonly", (kept) => kept.getAll())) ?? [];
export const put = (store, value) => within(store, "readwrite", (kept) => kept.put(value));
export const drop = (store, id) => within(store, "readwrite", (kept) => kept.delete(id));
export const empty = (store) => within(store, "readwrite", (kept) => kept.clear());

let last = 0;

// Later ones are greater.
export const freshId = () => (last = Math.max(last + 1, Date.now()));

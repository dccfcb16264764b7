// Whether one item is being left for another: until that is there, a key would mean one that nobody sees.
export class Leaving {
  #under = 0;

  get underWay() {
    return this.#under > 0;
  }

  async during(doing) {
    this.#under++;
    try {
      return await doing();
    } finally {
      this.#under--;
    }
  }
}

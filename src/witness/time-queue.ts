/** A priority queue: items with the least time first. A binary heap, O(log n) per item. */
export class TimeQueue<T> {
  readonly #times: number[] = [];
  readonly #items: T[] = [];

  push(time: number, item: T): void {
    const times = this.#times;
    const items = this.#items;
    let at = items.length;
    times.push(time);
    items.push(item);
    while (0 < at) {
      const parent = (at - 1) >>> 1;
      if (times[parent] <= time) break;
      times[at] = times[parent];
      items[at] = items[parent];
      at = parent;
    }
    times[at] = time;
    items[at] = item;
  }

  /** Takes an item with the least time out; undefined where there is none. */
  pop(): { readonly time: number; readonly item: T } | undefined {
    const times = this.#times;
    const items = this.#items;
    if (items.length === 0) return undefined;
    const first = { time: times[0], item: items[0] };
    const time = times.pop() as number;
    const item = items.pop() as T;
    const length = items.length;
    if (length === 0) return first;
    let at = 0;
    for (let child = 1; child < length; child = 2 * at + 1) {
      if (child + 1 < length && times[child + 1] < times[child]) child++;
      if (time <= times[child]) break;
      times[at] = times[child];
      items[at] = items[child];
      at = child;
    }
    times[at] = time;
    items[at] = item;
    return first;
  }
}

/** A min-heap by id. Building it is linear, so a page of many items needs no full sort. */
export class IdHeap<T extends { id: string }> {
  readonly #items: T[]

  constructor(items: T[]) {
    this.#items = items
    for (let index = (items.length >> 1) - 1; index >= 0; index--) this.#siftDown(index)
  }

  pop(): T | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (last && items.length > 0) {
      items[0] = last
      this.#siftDown(0)
    }
    return first
  }

  #siftDown(start: number): void {
    const items = this.#items
    const item = items[start] as T
    let index = start
    for (;;) {
      let child = 2 * index + 1
      if (child >= items.length) break
      if (child + 1 < items.length && (items[child + 1] as T).id < (items[child] as T).id) child++
      if (item.id <= (items[child] as T).id) break
      items[index] = items[child] as T
      index = child
    }
    items[index] = item
  }
}

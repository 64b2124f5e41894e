/**
 * Numbers for the names of types and relations, from 1 and never given again; 0 is the empty name, the relation of a
 * subject that is the object itself. There are as many as the schema has words.
 */
export class Names {
  readonly #numbers = new Map<string, number>([['', 0]])
  readonly #names = ['']

  numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#names.push(name) - 1
    this.#numbers.set(name, number)
    return number
  }

  /** -1 where nobody asked for its number yet. */
  find(name: string): number {
    return this.#numbers.get(name) ?? -1
  }

  nameOf(number: number): string {
    return this.#names[number] ?? ''
  }

  get size(): number {
    return this.#names.length
  }
}

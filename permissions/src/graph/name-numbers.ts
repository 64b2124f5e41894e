/**
 * Numbers for the names of types and relations, starting at 1 and never reused. 0 is the empty name, the relation of a
 * subject that is the object itself. There is one number per name in the schema.
 */
export class Names {
  readonly #numbers = new Map<string, number>([['', 0]])
  readonly #names = ['']
  readonly #base: Names | undefined
  readonly #first: number

  /** With `below` it also finds those names but keeps new ones to itself. `below` must not change while in use. */
  constructor(base?: Names) {
    this.#base = base
    this.#first = base?.size ?? 0
  }

  intern(name: string): number {
    const known = this.find(name)
    if (known >= 0) return known
    const number = this.#first + this.#names.push(name) - 1
    this.#numbers.set(name, number)
    return number
  }

  /** Returns -1 for a name without a number. */
  find(name: string): number {
    return this.#numbers.get(name) ?? this.#base?.find(name) ?? -1
  }

  nameOf(number: number): string {
    const name = number < this.#first ? this.#base?.nameOf(number) : this.#names[number - this.#first]
    return name ?? ''
  }

  get size(): number {
    return this.#first + this.#names.length
  }
}

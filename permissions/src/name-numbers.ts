/**
 * Numbers for the names of types and relations, from 1 and never given again; 0 is the empty name, the relation of a
 * subject that is the object itself. There are as many as the schema has words.
 */
export class Names {
  readonly #numbers = new Map<string, number>([['', 0]])
  readonly #names = ['']
  readonly #below: Names | undefined
  readonly #first: number

  /** With names below it knows those too, and keeps what is new to itself; nothing is added below while it is used. */
  constructor(below?: Names) {
    this.#below = below
    this.#first = below?.size ?? 0
  }

  numberOf(name: string): number {
    const known = this.find(name)
    if (known >= 0) return known
    const number = this.#first + this.#names.push(name) - 1
    this.#numbers.set(name, number)
    return number
  }

  /** -1 where nobody asked for its number yet. */
  find(name: string): number {
    return this.#numbers.get(name) ?? this.#below?.find(name) ?? -1
  }

  nameOf(number: number): string {
    const name = number < this.#first ? this.#below?.nameOf(number) : this.#names[number - this.#first]
    return name ?? ''
  }

  get size(): number {
    return this.#first + this.#names.length
  }
}

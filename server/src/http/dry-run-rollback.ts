/** Thrown to roll a preview back; the response is 200 with its effect. */
export class DryRunRollback<Effect = unknown> extends Error {
  readonly effect: Effect
  constructor(effect: Effect) {
    super('Previewed')
    this.effect = effect
  }
}

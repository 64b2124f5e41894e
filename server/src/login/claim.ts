import { type Sql, transaction } from '../database/sql.ts'
import type { Trace } from '../sign-in-traces/trace.ts'
import { SignInFailure } from './failure.ts'
import * as store from './store.ts'

/** The proof of a sign-in holds no longer, such as a password that was changed since. Nothing was written. */
export class ProofExpired extends Error {}

/** Saves the consequences of a proof. Throws `ProofExpired` if it holds no longer. */
export async function confirmProof(sql: Sql, proof: store.Proof): Promise<void> {
  if (!(await store.confirmProof(sql, proof))) throw new ProofExpired('The proof of a sign-in holds no longer')
}

/** An attempt to sign in that is spent once: in a statement of its own, or in the one that saves the sign-in. */
export class AttemptClaim {
  readonly #spending: store.Spending
  readonly #trace: Trace
  #isSpent = false

  constructor(spending: store.Spending, trace: Trace) {
    this.#spending = spending
    this.#trace = trace
  }

  get isSpent(): boolean {
    return this.#isSpent
  }

  /** What the statement that saves the sign-in has to spend, before `accept`; undefined if the attempt is spent. */
  get pending(): store.Spending | undefined {
    return this.#isSpent ? undefined : this.#spending
  }

  /** Accepts the result of a statement that spent the attempt. Throws `ProofExpired`, and `SignInFailure` for a spent one. */
  accept(result: store.SpendingResult): void {
    this.#check(result)
    this.#isSpent = true
  }

  /** Spends the attempt in a statement of its own, unless it is spent. Throws like `accept`. */
  async spend(sql: Sql): Promise<void> {
    if (!this.#isSpent) this.accept(await store.spendAttempt(sql, this.#spending))
  }

  /**
   * Runs `work` in a transaction that spends the attempt first, unless it is spent. The consequences of the proof follow
   * it: they lock counters that users share.
   */
  async transaction<T>(sql: Sql, work: (sql: Sql) => Promise<T>): Promise<T> {
    if (this.#isSpent) return transaction(sql, work)
    const { proof } = this.#spending
    const spending = { ...this.#spending, proof: proof && { condition: proof.condition } }
    const result = await transaction(sql, async (sql) => {
      this.#check(await store.spendAttempt(sql, spending))
      return work(sql)
    })
    this.#isSpent = true
    if (proof?.toConsequences) await store.confirmProof(sql, proof)
    return result
  }

  #check({ isProven, isUnspent }: store.SpendingResult): void {
    if (!isProven) throw new ProofExpired('The proof of a sign-in holds no longer')
    if (isUnspent) return
    this.#trace.begin('response-unused')
    throw new SignInFailure('answer-replayed')
  }
}

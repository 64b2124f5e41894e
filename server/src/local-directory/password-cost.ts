/** The cost of an argon2id hash. */
export interface PasswordCost {
  /** KiB. */
  memoryCost: number
  timeCost: number
  parallelism: number
}

/** argon2id with the parameters that OWASP recommends: 19 MiB and 2 passes, about 8 ms of CPU time. */
export const defaultCost: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** The weakest of the combinations that OWASP considers equivalent: 7 MiB and 5 passes. */
const leastCost = { memoryCost: 7168, work: 7168 * 5 }

/** Returns the beginning of the hashes of this cost in the PHC string format. */
export const prefixOf = ({ memoryCost, timeCost, parallelism }: PasswordCost): string =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`

/**
 * Parses the parameters of argon2id as the PHC string format has them, such as `m=19456,t=2,p=1`. Undefined if they are
 * malformed, too small for argon2 (RFC 9106, section 3.1), or above 1 GiB, 100 passes or 16 lanes.
 */
export function parsePasswordCost(text: string): PasswordCost | undefined {
  const match = /^m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})$/.exec(text)
  if (!match) return undefined
  const [memoryCost = 0, timeCost = 0, parallelism = 0] = match.slice(1).map(Number)
  const isPossible = timeCost >= 1 && parallelism >= 1 && memoryCost >= 8 * parallelism
  const isModerate = memoryCost <= 1024 * 1024 && timeCost <= 100 && parallelism <= 16
  return isPossible && isModerate ? { memoryCost, timeCost, parallelism } : undefined
}

/** Reports whether hashes of this cost withstand an attacker who has them, as OWASP recommends. */
export const isStrong = ({ memoryCost, timeCost }: PasswordCost): boolean =>
  memoryCost >= leastCost.memoryCost && memoryCost * timeCost >= leastCost.work

/** Reports whether a stored hash is of another scheme, or costs less than hashes of this cost. */
export function isWeaker(hash: string, { memoryCost, timeCost }: PasswordCost): boolean {
  const [, memory, passes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/.exec(hash) ?? []
  return memory === undefined || Number(memory) * Number(passes) < memoryCost * timeCost
}

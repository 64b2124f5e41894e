import type { RoleEffect } from '@passport/contract/role-effect'

/** Thrown to roll a preview back; the response is 200 with its effect. */
export class DryRunRollback extends Error {
  readonly effect: RoleEffect
  constructor(effect: RoleEffect) {
    super('Previewed')
    this.effect = effect
  }
}

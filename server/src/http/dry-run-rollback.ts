import type { RoleEffect } from '@passport/contract/role-effect'

/** Thrown to roll a preview back; answered with 200 and its effect. */
export class DryRunRollback extends Error {
  readonly effect: RoleEffect
  constructor(effect: RoleEffect) {
    super('Previewed')
    this.effect = effect
  }
}

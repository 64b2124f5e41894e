import type { RoleEffect } from '@passport/contract/role-effect'

/** Thrown to undo a change that was only tried; answered as 200 with what it would have done. */
export class Previewed extends Error {
  readonly effect: RoleEffect
  constructor(effect: RoleEffect) {
    super('Previewed')
    this.effect = effect
  }
}

import type { ChangeContext } from '../audit/actor.ts'
import { type Preconditions, readPreconditions } from '../http/conditional.ts'

/** The context of the command line, which is no user and has the rights of an administrator. */
export const commandLine: ChangeContext & { preconditions: Preconditions } = {
  caller: { id: null, roles: new Set(['Passport.Admin']), orgs: [] },
  reason: 'command line',
  preconditions: readPreconditions('PUT', {}),
}

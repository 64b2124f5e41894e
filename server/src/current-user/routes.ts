import * as api from '@passport/contract/current-user'
import type { Room } from '../room.ts'

/** Who is signed in. All of it was read when the caller was identified, so this asks the database nothing more. */
export const currentUser: Room = ({ serve }) => {
  serve(api.getCurrentUser, ({ caller }) => ({
    claims: {
      sub: caller.id,
      idp: caller.idp,
      ...(caller.name !== null && { name: caller.name }),
      ...(caller.username !== null && { preferred_username: caller.username }),
      ...(caller.email !== null && { email: caller.email }),
      auth_time: Math.floor(Date.parse(caller.authTime) / 1000),
    },
    roles: [...caller.roles],
    orgs: caller.orgs,
  }))
}

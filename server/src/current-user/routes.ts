import * as api from '@passport/contract/current-user'
import type { Feature } from '../feature.ts'
import { toPictureUrl } from '../profile/avatar-url.ts'

/** The signed-in user. Authentication has read all fields, so this needs no further statement. */
export const currentUser: Feature = ({ serve }, { config, upstreams }) => {
  serve(api.getCurrentUser, ({ caller }) => {
    const picture = toPictureUrl(config.publicUrl, caller.pictureHash)
    return {
      claims: {
        sub: caller.id,
        idp: caller.idp,
        idp_name: caller.idpName ?? upstreams.find(caller.idp)?.name ?? caller.idp,
        ...(caller.name !== null && { name: caller.name }),
        ...(caller.username !== null && { preferred_username: caller.username }),
        ...(caller.email !== null && { email: caller.email }),
        ...(picture !== null && { picture }),
        auth_time: Math.floor(Date.parse(caller.authTime) / 1000),
      },
      roles: [...caller.roles],
      orgs: caller.orgs,
    }
  })
}

import { openapi } from '@passport/contract/openapi'
import { accounts } from './accounts/routes.ts'
import { audit } from './audit/routes.ts'
import { bin } from './bin/routes.ts'
import { cors } from './cors/routes.ts'
import { currentUser } from './current-user/routes.ts'
import { developerTokens } from './developer-tokens/routes.ts'
import { deviceAuthorization } from './device-authorization/routes.ts'
import { discovery } from './discovery/routes.ts'
import { groups } from './groups/routes.ts'
import { health } from './health/routes.ts'
import { type AppFiles, serveAppOn } from './http/app-files.ts'
import { createFront, serveOtherMethodsOn } from './http/front.ts'
import { onceOver } from './http/idempotency.ts'
import { mountOn } from './http/mount.ts'
import { servePagesOn } from './http/page.ts'
import { serveOn } from './http/serve.ts'
import { serveDocumentOn } from './http/serve-document.ts'
import { info } from './info/routes.ts'
import { invitations } from './invitations/routes.ts'
import { join } from './join/routes.ts'
import { localDirectory } from './local-directory/routes.ts'
import { login } from './login/routes.ts'
import { orgDomains } from './org-domains/routes.ts'
import { orgs } from './orgs/routes.ts'
import { permissions } from './permissions/routes.ts'
import { preferences } from './preferences/routes.ts'
import { profile } from './profile/routes.ts'
import { provider } from './provider/routes.ts'
import { roles } from './roles/routes.ts'
import type { Room, Services } from './room.ts'
import { search } from './search/routes.ts'
import { userBulk } from './user-bulk/routes.ts'
import { userImports } from './user-imports/routes.ts'
import { users } from './users/routes.ts'

/** Every system of the service: the map of this side. */
const rooms: Room[] = [
  currentUser,
  accounts,
  preferences,
  roles,
  // Before the users, one of whom could be meant by `users/invitations`.
  invitations,
  groups,
  orgs,
  orgDomains,
  join,
  developerTokens,
  deviceAuthorization,
  login,
  provider,
  localDirectory,
  discovery,
  info,
  cors,
  audit,
  profile,
  bin,
  search,
  permissions,
  health,
  // What stands beside `/users/{userId}` comes before it.
  userBulk,
  userImports,
  users,
]

/** The whole service over HTTP, with the built web app. */
export function createApp(services: Services, appFiles: AppFiles) {
  const { door, metrics } = services
  const app = createFront(door, metrics.count)
  const routes = {
    serve: serveOn(app, door, onceOver(services)),
    page: servePagesOn(app, door),
    mount: mountOn(app, door),
  }
  for (const room of rooms) room(routes, services)
  serveDocumentOn(app, door, '/passport/openapi.json', () => openapi({ title: 'Passport', version: 'v1' }))
  serveOtherMethodsOn(app, door)
  serveAppOn(app, door, appFiles)
  return app
}

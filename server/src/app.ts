import { createOpenApiDocument } from '@passport/contract/openapi'
import { accounts } from './accounts/routes.ts'
import { audit } from './audit/routes.ts'
import { branding } from './branding/routes.ts'
import { clients } from './clients/routes.ts'
import { connections } from './connections/routes.ts'
import { content } from './content/routes.ts'
import { cors } from './cors/routes.ts'
import { currentUser } from './current-user/routes.ts'
import { isInOutage } from './database/pool.ts'
import { developerTokens } from './developer-tokens/routes.ts'
import { deviceAuthorization } from './device-authorization/routes.ts'
import { discovery } from './discovery/routes.ts'
import { docs } from './docs/routes.ts'
import { enrolment } from './enrolment/routes.ts'
import { entitlements } from './entitlements/routes.ts'
import { entra } from './entra/routes.ts'
import { errors } from './errors/routes.ts'
import type { Feature, Services } from './feature.ts'
import { groups } from './groups/routes.ts'
import { health } from './health/routes.ts'
import type { CompletedRequest } from './http/activity.ts'
import { createAdmission } from './http/admission.ts'
import { type AppFiles, serveAppOn } from './http/app-files.ts'
import { createBaseApp, serveOtherMethodsOn } from './http/base-app.ts'
import { createCompletionRecorder } from './http/completion.ts'
import { createIdempotency } from './http/idempotency.ts'
import { createLoadLimiter } from './http/load.ts'
import { mountOn } from './http/mount.ts'
import { servePagesOn } from './http/pages.ts'
import { createUnparsedRecorder } from './http/parser-errors.ts'
import { createPreparedRecorder } from './http/prepared.ts'
import { createProtocolRoutes } from './http/protocol.ts'
import { serveOn } from './http/serve.ts'
import { serveDocumentOn } from './http/serve-document.ts'
import { identityApis } from './identity-apis/routes.ts'
import { info } from './info/routes.ts'
import { invitations } from './invitations/routes.ts'
import { join } from './join/routes.ts'
import { localDirectory } from './local-directory/routes.ts'
import { login } from './login/routes.ts'
import { mail } from './mail/routes.ts'
import { marketplace } from './marketplace/routes.ts'
import { notices } from './notices/routes.ts'
import { orgs } from './orgs/routes.ts'
import { overview } from './overview/routes.ts'
import { permissions } from './permissions/routes.ts'
import { personalTokens } from './personal-tokens/routes.ts'
import { preferences } from './preferences/routes.ts'
import { profile } from './profile/routes.ts'
import { provider } from './provider/routes.ts'
import { roles } from './roles/routes.ts'
import { scim } from './scim/routes.ts'
import { search } from './search/routes.ts'
import { setup } from './setup/routes.ts'
import { signInTraces } from './sign-in-traces/routes.ts'
import { trash } from './trash/routes.ts'
import { users } from './users/routes.ts'

/** All features of the service. */
const features: Feature[] = [
  currentUser,
  accounts,
  preferences,
  roles,
  // Before `users`, whose `users/{userId}` would match `users/invitations`.
  invitations,
  enrolment,
  groups,
  branding,
  // Before `orgs`, whose `orgs/{orgId}` would match `orgs/entra`.
  entra,
  scim,
  orgs,
  setup,
  join,
  developerTokens,
  deviceAuthorization,
  personalTokens,
  notices,
  login,
  provider,
  localDirectory,
  clients,
  identityApis,
  connections,
  content,
  marketplace,
  entitlements,
  discovery,
  info,
  cors,
  mail,
  audit,
  signInTraces,
  profile,
  trash,
  search,
  permissions,
  health,
  overview,
  errors,
  docs,
  users,
]

/** Creates the whole HTTP application, including the built web app, and the endpoints of the protocol before it. */
export function createApp(services: Services, appFiles: AppFiles) {
  const { http, metrics, activity, contents } = services
  const countRequest = (request: CompletedRequest) => {
    metrics.count(request)
    activity.countRequest(request)
  }
  const recordCompletion = createCompletionRecorder(http, countRequest)
  const loadLimiter = createLoadLimiter(undefined, undefined, () => isInOutage(services.sql))
  const admit = createAdmission(http, loadLimiter)
  const app = createBaseApp(http, recordCompletion, admit)
  const {
    respond: respondByProtocol,
    protocol,
    list: listProtocolRoutes,
  } = createProtocolRoutes(http, recordCompletion, admit, createPreparedRecorder(http, recordCompletion, countRequest))
  const routes = {
    serve: serveOn(app, http, createIdempotency(services)),
    page: servePagesOn(app, http),
    mount: mountOn(app, http),
    protocol,
  }
  for (const feature of features) feature(routes, services)
  serveDocumentOn(app, http, '/passport/openapi.json', () =>
    createOpenApiDocument({ title: 'Passport', version: 'v1' }),
  )
  serveOtherMethodsOn(app, http)
  serveAppOn(app, http, appFiles, contents.slugs)
  return {
    app,
    listProtocolRoutes,
    respondByProtocol,
    recordUnparsed: createUnparsedRecorder(http.log, countRequest),
  }
}

import type { User, UserAccess } from '@passport/contract/users'
import * as api from '@passport/contract/users'
import { revokeSession, signOutEverywhere } from '../accounts/end-sessions.ts'
import * as sessions from '../accounts/session-store.ts'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { transaction } from '../database/sql.ts'
import { loadProviderNames } from '../entra/find-upstream.ts'
import { unlinkLogin } from '../entra/unlink-login.ts'
import type { Feature } from '../feature.ts'
import { decodeCursor, offsetOf, toPage } from '../http/paging.ts'
import { sessionNotFound, userNotFound } from '../http/problems.ts'
import { Created, WithETag } from '../http/serve.ts'
import { describeUserAgent } from '../http/user-agent.ts'
import { generatePassword } from '../local-directory/generate-password.ts'
import { resetPassword } from '../local-directory/reset-password.ts'
import * as directory from '../local-directory/store.ts'
import {
  explainOwnPermission,
  listOwnPermissions,
  listOwnResources,
  withSafeProblems,
} from '../permissions/own-permissions.ts'
import { changeUser, restoreUser, runUserChange, setRoles } from './change.ts'
import { createUser } from './create.ts'
import { createLoginMapper, createUserMapper } from './present.ts'
import * as problems from './problems.ts'
import { toSortCursor } from './search-conditions.ts'
import * as search from './search-store.ts'
import { serveBulk } from './serve-bulk.ts'
import { serveImports } from './serve-imports.ts'
import { disable, enable, lockDown, remove } from './states.ts'
import * as store from './store.ts'

/** The number of days for which a user's sign-ins are counted. */
const signInDays = 90

/** The users of this server, for administrators. */
export const users: Feature = (routes, services) => {
  const { serve } = routes
  const { config, sql, permissions: engine } = services
  // Registered before `users/{userId}`, which would match their paths.
  serveBulk(routes, services)
  serveImports(routes, services)
  const toUserSummary = createUserMapper(config.publicUrl)

  const loadUser = async (id: string): Promise<User> => {
    const [[row], logins] = await Promise.all([store.listRows(sql, [id]), accounts.listLogins(sql, id)])
    if (!row || row.deletedAt !== null) throw userNotFound()
    const toLogin = createLoginMapper(
      await loadProviderNames(
        services,
        logins.map(({ providerId }) => providerId),
      ),
    )
    return { ...toUserSummary(row), logins: logins.map(toLogin) }
  }
  const loadWithETag = async (id: string) => {
    const user = await loadUser(id)
    return new WithETag(user, { etag: String(user.version) })
  }
  const requireUser = async (id: string) => {
    if (!(await store.find(sql, id))) throw userNotFound()
  }

  serve(api.listUsers, async ({ query }) => {
    const { limit, page: _page, after, sort, direction, ...filter } = query
    const cursor = decodeCursor(after)
    const plan = await search.plan(sql, filter, { sort, direction })
    const matches = await search.find(sql, plan, { after: cursor, offset: offsetOf(query), limit: limit + 1 })
    const rows = new Map((await store.listRows(sql, matches.ids)).map((row) => [row.id, row]))
    const listed = toPage({
      path: api.listUsers.path,
      query,
      rows: matches.ids.flatMap((id) => rows.get(id) ?? []),
      count: matches.count,
      cursorOf: (row) => toSortCursor(sort, row),
    })
    const exact = new Set(plan.exact)
    const items = listed.items.map((row) => ({
      ...toUserSummary(row),
      ...(exact.has(row.id) && { isExact: true as const }),
    }))
    return { ...listed, items }
  })

  serve(api.createUser, async ({ body, query, caller, visit }) => {
    const id = await transaction(sql, (sql) => createUser(sql, body, { caller, visit, ...query }))
    const user = await loadUser(id)
    return new Created(user, `${api.listUsers.path}/${id}`, { etag: String(user.version) })
  })

  serve(api.getUser, async ({ params, preconditions }) => {
    const user = await loadWithETag(params.userId)
    preconditions.check(user.validators)
    return user
  })

  serve(api.updateUser, async ({ params, body, ...request }) => {
    await changeUser(services, params.userId, body, request)
    return loadWithETag(params.userId)
  })

  serve(api.setUserRoles, async ({ params, body, ...request }) => {
    await setRoles(sql, params.userId, body.roles, request)
    return loadWithETag(params.userId)
  })

  serve(api.deleteUser, async ({ params, ...request }) => {
    await runUserChange(sql, params.userId, request, remove)
  })

  serve(api.restoreUser, async ({ params, body, ...request }) => {
    await restoreUser(services, params.userId, body, request)
    return loadUser(params.userId)
  })

  for (const [endpoint, change] of [
    [api.disableUser, disable],
    [api.enableUser, enable],
    [api.lockDownUser, lockDown],
  ] as const) {
    serve(endpoint, async ({ params, ...request }) => {
      await runUserChange(sql, params.userId, request, change)
      return loadUser(params.userId)
    })
  }

  serve(api.signOutUser, async ({ params: { userId }, body, caller, visit }) => {
    await requireUser(userId)
    const withPersonalTokens = body.personalTokens
    return signOutEverywhere(sql, { userId, withPersonalTokens, visit, actorId: caller.id })
  })

  serve(api.resetUserPassword, async ({ params, caller, visit }) => {
    await requireUser(params.userId)
    const logins = await accounts.listLogins(sql, params.userId)
    const login = logins.find(({ issuer }) => issuer === directory.identityIssuer)
    const directoryUser = login && (await directory.findById(sql, login.subject))
    if (!directoryUser) throw problems.nothingToReset()
    const password = generatePassword()
    await transaction(sql, (sql) => resetPassword(sql, directoryUser.id, password, { actorId: caller.id, visit }))
    return { name: directory.signInNameOf(directoryUser), password }
  })

  serve(api.listUserLogins, async ({ params }) => (await loadUser(params.userId)).logins)

  serve(api.unlinkUserLogin, async ({ params, caller, visit }) => {
    await requireUser(params.userId)
    await unlinkLogin(services, params.userId, params.loginId, visit, caller)
  })

  serve(api.listUserSessions, async ({ params }) => {
    await requireUser(params.userId)
    const listed = await sessions.list(sql, params.userId)
    const nameOf = await loadProviderNames(
      services,
      listed.map(({ idp }) => idp),
    )
    return listed.map((session) => ({
      ...session,
      idpName: nameOf(session.idp),
      userAgent: describeUserAgent(session.userAgent),
    }))
  })

  serve(api.revokeUserSession, async ({ params, query, caller, visit }) => {
    const revoked = await revokeSession(sql, { ...params, ...query, visit, actorId: caller.id })
    if (!revoked) throw sessionNotFound()
    return revoked
  })

  serve(api.countUserSignIns, async ({ params }) => {
    await requireUser(params.userId)
    return { days: await audit.countSignInsByDay(sql, params.userId, signInDays) }
  })

  serve(api.getUserAccess, async ({ params }) => {
    const access = await store.findAccess(sql, params.userId)
    if (!access) throw userNotFound()
    return access
  })

  serve(api.getOwnAccess, async ({ caller }) => {
    const access = await store.findAccess(sql, caller.id)
    if (!access) throw userNotFound()
    return omitGranters(access)
  })

  serve(api.listOwnPermissions, ({ query, caller }) =>
    withSafeProblems(() => listOwnPermissions({ engine, sql, userId: caller.id }, query.after)),
  )

  serve(api.listOwnResources, ({ query, caller }) =>
    withSafeProblems(() => listOwnResources({ engine, sql, userId: caller.id }, query)),
  )

  serve(api.explainOwnPermission, ({ query, caller }) =>
    withSafeProblems(() => explainOwnPermission({ engine, sql, userId: caller.id }, query)),
  )
}

/** Omits the granting administrators, for the users themselves. */
const omitGranters = ({ roles, ...access }: UserAccess): UserAccess => ({
  ...access,
  roles: roles.map(({ name, sources }) => ({
    name,
    sources: sources.map((source) => (source.kind === 'direct' ? { ...source, by: null } : source)),
  })),
})

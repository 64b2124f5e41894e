import type { User, UserAccess } from '@passport/contract/users'
import * as api from '@passport/contract/users'
import * as accounts from '../accounts/store.ts'
import { unlink } from '../accounts/unlink.ts'
import { describeUserAgent } from '../accounts/user-agent.ts'
import { transaction } from '../database/sql.ts'
import { decodeCursor, offsetOf, pageOf } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'
import { Created, Tagged } from '../http/serve.ts'
import { generatePassword } from '../local-directory/generate-password.ts'
import { resetPassword } from '../local-directory/reset-password.ts'
import * as directory from '../local-directory/store.ts'
import type { Room } from '../room.ts'
import { endEverywhere, revokeSession } from '../sessions/end.ts'
import * as sessions from '../sessions/store.ts'
import { cursorIn } from '../user-search/conditions.ts'
import * as search from '../user-search/store.ts'
import { changeOne, changeUser, restoreOne, setRoles, userNotFound } from './change.ts'
import { createUser } from './create.ts'
import { pathOf, permissionsOf, resourcesOf, toldToPerson } from './own-permissions.ts'
import { loginOf, summaryOf } from './present.ts'
import { disable, enable, lockDown, remove } from './states.ts'
import * as store from './store.ts'

/** The people of this server, as administrators see and change them. */
export const users: Room = ({ serve }, { sql, upstreams, permissions: engine }) => {
  const toldLogin = loginOf(upstreams)

  const userOf = async (id: string): Promise<User> => {
    const [[row], logins] = await Promise.all([store.rowsOf(sql, [id]), accounts.listLogins(sql, id)])
    if (!row || row.deletedAt !== null) throw userNotFound()
    return { ...summaryOf(row), logins: logins.map(toldLogin) }
  }
  const tagged = async (id: string) => {
    const user = await userOf(id)
    return new Tagged(user, { etag: String(user.version) })
  }
  const mustBe = async (id: string) => {
    if (!(await store.find(sql, id))) throw userNotFound()
  }

  serve(api.listUsers, async ({ query }) => {
    const { limit, page: _page, after, sort, direction, ...filter } = query
    const cursor = decodeCursor(after)
    const plan = await search.plan(sql, filter, { sort, direction })
    const found = await search.find(sql, plan, { after: cursor, offset: offsetOf(query), limit: limit + 1 })
    const rows = new Map((await store.rowsOf(sql, found.ids)).map((row) => [row.id, row]))
    const listed = pageOf({
      path: api.listUsers.path,
      query,
      rows: found.ids.flatMap((id) => rows.get(id) ?? []),
      counted: found.counted,
      cursorOf: (row) => cursorIn(sort, row),
    })
    const exact = new Set(plan.exact)
    const items = listed.items.map((row) => ({
      ...summaryOf(row),
      ...(exact.has(row.id) && { isExact: true as const }),
    }))
    return { ...listed, items, ...(found.isCountOpen && { totalIsExact: false as const }) }
  })

  serve(api.createUser, async ({ body, query, caller, visit }) => {
    const id = await transaction(sql, (sql) => createUser(sql, body, { caller, visit, ...query }))
    const user = await userOf(id)
    return new Created(user, `${api.listUsers.path}/${id}`, { etag: String(user.version) })
  })

  serve(api.getUser, async ({ params, preconditions }) => {
    const user = await tagged(params.userId)
    preconditions.check(user.validators)
    return user
  })

  serve(api.updateUser, async ({ params, body, ...request }) => {
    await changeUser(sql, params.userId, body, request)
    return tagged(params.userId)
  })

  serve(api.setUserRoles, async ({ params, body, ...request }) => {
    await setRoles(sql, params.userId, body.roles, request)
    return tagged(params.userId)
  })

  serve(api.deleteUser, async ({ params, ...request }) => {
    await changeOne(sql, params.userId, request, remove)
  })

  serve(api.restoreUser, async ({ params, body, ...request }) => {
    await restoreOne(sql, params.userId, body, request)
    return userOf(params.userId)
  })

  for (const [endpoint, change] of [
    [api.disableUser, disable],
    [api.enableUser, enable],
    [api.lockDownUser, lockDown],
  ] as const) {
    serve(endpoint, async ({ params, ...request }) => {
      await changeOne(sql, params.userId, request, change)
      return userOf(params.userId)
    })
  }

  serve(api.signOutUser, async ({ params, caller, visit }) => {
    await mustBe(params.userId)
    return { sessions: await endEverywhere(sql, params.userId, visit, caller.id) }
  })

  serve(api.resetUser, async ({ params, caller, visit }) => {
    await mustBe(params.userId)
    const logins = await accounts.listLogins(sql, params.userId)
    const login = logins.find(({ issuer }) => issuer === directory.identityIssuer)
    const person = login && (await directory.findById(sql, login.subject))
    if (!person) throw new Problem(409, 'nothing-to-reset', 'This person has no password here: they sign in elsewhere.')
    const password = generatePassword()
    await transaction(sql, (sql) => resetPassword(sql, person.id, password, { actorId: caller.id, visit }))
    return { name: person.name, password }
  })

  serve(api.listUserLogins, async ({ params }) => (await userOf(params.userId)).logins)

  serve(api.unlinkUserLogin, async ({ params, caller, visit }) => {
    await mustBe(params.userId)
    await unlink(sql, params.userId, params.loginId, visit, caller)
  })

  serve(api.listUserSessions, async ({ params }) => {
    await mustBe(params.userId)
    const listed = await sessions.list(sql, params.userId)
    return listed.map((session) => ({ ...session, userAgent: describeUserAgent(session.userAgent) }))
  })

  serve(api.revokeUserSession, async ({ params, caller, visit }) => {
    const isFound = await revokeSession(sql, params.userId, params.sessionId, visit, caller.id)
    if (!isFound) throw new Problem(404, 'session-not-found', 'There is no such session.')
  })

  serve(api.getUserAccess, async ({ params }) => {
    const access = await store.accessOf(sql, params.userId)
    if (!access) throw userNotFound()
    return access
  })

  serve(api.getOwnAccess, async ({ caller }) => {
    const access = await store.accessOf(sql, caller.id)
    if (!access) throw userNotFound()
    return withoutGivers(access)
  })

  serve(api.listOwnPermissions, ({ query, caller }) =>
    toldToPerson(() => permissionsOf({ engine, sql, personId: caller.id }, query.after)),
  )

  serve(api.listOwnResources, ({ query, caller }) =>
    toldToPerson(() => resourcesOf({ engine, sql, personId: caller.id }, query)),
  )

  serve(api.explainOwnPermission, ({ query, caller }) =>
    toldToPerson(() => pathOf({ engine, sql, personId: caller.id }, query)),
  )
}

/** Administrators need not be known to everyone whom they gave something. */
const withoutGivers = ({ roles, ...access }: UserAccess): UserAccess => ({
  ...access,
  roles: roles.map(({ name, sources }) => ({
    name,
    sources: sources.map((source) => (source.kind === 'direct' ? { ...source, by: null } : source)),
  })),
})

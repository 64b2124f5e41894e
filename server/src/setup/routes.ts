import * as api from '@passport/contract/setup'
import { createLink as createConsentLink } from '../entra/create.ts'
import { replaceSettings } from '../entra/settings.ts'
import type { Feature } from '../feature.ts'
import { rejectForgery } from '../http/csrf.ts'
import { Created, WithETag } from '../http/serve.ts'
import { describeUserAgent } from '../http/user-agent.ts'
import { startSetupTest } from '../login/tenant-test.ts'
import { toScimToken } from '../scim/present.ts'
import { createToken, revokeToken } from '../scim/tokens.ts'
import { createLink, type DescribedLink, listLinks, revokeLink } from './links.ts'
import { openLink } from './open.ts'
import { readState } from './state.ts'

/** Set-up links: an administrator of a customer sets up their organisation in one browser, without an account here. */
export const setup: Feature = ({ serve }, services) => {
  const { sql, config, http } = services

  for (const endpoint of [api.createSetupLink, api.createOwnSetupLink]) {
    serve(endpoint, async ({ params, caller, visit }) => {
      const { link, token } = await createLink(sql, params.orgId, { caller, visit })
      const created = { ...toSetupLink(link), url: `${config.publicUrl}/app/setup#${token}` }
      const path = endpoint.path.replace('{orgId}', params.orgId)
      return new Created(created, `${path}/${link.id}`, { etag: link.id })
    })
  }

  for (const endpoint of [api.listSetupLinks, api.listOwnSetupLinks]) {
    serve(endpoint, async ({ params, caller }) => (await listLinks(sql, params.orgId, caller)).map(toSetupLink))
  }

  for (const endpoint of [api.revokeSetupLink, api.revokeOwnSetupLink]) {
    serve(endpoint, async ({ params, query, caller, visit }) =>
      toSetupLink(await revokeLink(sql, { ...params, ...query }, { caller, visit })),
    )
  }

  serve(api.openSetupLink, async ({ body, headers, cookies, visit }) => {
    rejectForgery(headers, http.publicUrl)
    const { caller, isReopened } = await openLink(sql, body.token, { cookies, visit })
    return { ...(await readState(services, caller)), isReopened }
  })

  serve(api.getSetup, ({ caller }) => readState(services, caller))

  serve(api.createSetupConsentLink, ({ caller, visit }) => createConsentLink(services, caller.orgId, { caller, visit }))

  serve(api.putSetupSettings, async ({ caller, visit, body, preconditions }) => {
    await replaceSettings(sql, caller.orgId, body, { caller, visit, preconditions, isOwnGroupsOnly: true })
    const state = await readState(services, caller)
    return new WithETag(state, { etag: String(state.version) })
  })

  serve(api.createSetupScimToken, async ({ caller, visit, body }) => {
    const { token, value } = await createToken(sql, caller.orgId, body, { caller, visit })
    const path = `/passport/setup/scimtokens/${token.id}`
    return new Created({ token: toScimToken(token), value }, path, { etag: token.id })
  })

  serve(api.revokeSetupScimToken, ({ caller, visit, params }) =>
    revokeToken(sql, { orgId: caller.orgId, ...params }, { caller, visit }),
  )

  serve(api.startSetupTest, ({ caller, cookies, visit }) => startSetupTest(services, { caller, cookies, visit }))
}

function toSetupLink({ tokens, hasChangedSettings, ...link }: DescribedLink): api.SetupLink {
  const { id, status, createdAt, createdBy, creatorName, expiresAt, openedAt, openedIp, openedAgent, endedAt } = link
  return {
    id,
    status,
    createdAt,
    createdBy: { id: createdBy, name: creatorName ?? createdBy },
    expiresAt,
    opened:
      openedAt === null ? null : { at: openedAt, ip: openedIp ?? '', userAgent: describeUserAgent(openedAgent ?? '') },
    endedAt,
    scimTokens: tokens.map(toScimToken),
    hasChangedSettings,
  }
}

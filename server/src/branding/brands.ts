import { toPicturePath } from '@passport/contract/brand-values'
import { domainOfEmail } from '@passport/contract/domain-name'
import type { HomeRealmQuestion } from '@passport/contract/home-realm'
import type { Config } from '../config.ts'
import { createLiveValue } from '../database/live-value.ts'
import type { Sql } from '../database/sql.ts'
import * as realms from '../discovery/store.ts'
import type { Brand } from '../http/brand.ts'
import type { Log } from '../log.ts'
import * as store from './store.ts'

/** The brand of this installation and, once home-realm discovery has named an organisation, of its users. */
export interface Branding {
  /** Returns the brand of the installation, as of the last refresh. Never waits for the database. */
  current: () => Brand
  /** Returns the brand for the users of an email address: that of the organisation which has verified its domain. */
  findForEmail: (sql: Sql, email: string | null | undefined) => Promise<Brand>
  /** Like `findForEmail`, for a user who signed in through this provider: a tenant names its organisation. */
  findForSignIn: (sql: Sql, idp: string | undefined, email: string | null) => Promise<Brand>
  /** Returns the brand for the users of an organisation. */
  findForOrg: (sql: Sql, orgId: string) => Promise<Brand>
  /** Returns the logo of a brand for an email. */
  findMailLogo: (sql: Sql, brand: Brand) => Promise<store.MailLogo | undefined>
  /** Reads the branding again, so that the next request of this process sees a change. */
  refresh: () => Promise<void>
}

const tenantPrefix = 'entra:'

/** Keeps the branding in memory until the database notifies of a change by any process, and for at most a minute. */
export async function cacheBranding(sql: Sql, log: Log, config: Config): Promise<Branding> {
  const { current, refresh } = await createLiveValue(sql, log, 'branding', async () =>
    toBrand(await store.findShown(sql), config),
  )

  async function findForRealm(sql: Sql, question: HomeRealmQuestion) {
    const realm = await realms.find(sql, question)
    return realm ? findForOrg(sql, realm.orgId) : current()
  }

  async function findForOrg(sql: Sql, orgId: string) {
    const shown = await store.findShownOfOrg(sql, orgId)
    return shown ? withOrg(current(), shown) : current()
  }

  function findForEmail(sql: Sql, email: string | null | undefined) {
    const domain = domainOfEmail(email ?? '')
    return domain === undefined ? Promise.resolve(current()) : findForRealm(sql, { domain })
  }

  return {
    current,
    findForEmail,
    findForOrg,
    findForSignIn: (sql, idp, email) =>
      idp?.startsWith(tenantPrefix)
        ? findForRealm(sql, { tenantId: idp.slice(tenantPrefix.length) })
        : findForEmail(sql, email),
    findMailLogo: async (sql, { logo }) => {
      const hash = logo && /[0-9a-f]{64}/.exec(logo.url)?.[0]
      return hash === undefined ? undefined : store.findMailLogo(sql, hash)
    },
    refresh,
  }
}

/** Returns the brand of the installation: each saved value, or else that of the configuration, or the default. */
function toBrand(saved: store.ShownBranding | undefined, config: Config): Brand {
  const name = saved?.name ?? config.brandName
  const supportUrl = saved?.supportUrl ?? undefined
  return {
    name,
    logo: toLogo(saved),
    favicon: saved?.favicon ? toPicturePath(saved.favicon) : undefined,
    stylesheet: saved?.stylesheet ? `/passport/branding/${saved.stylesheet}.css` : undefined,
    accent: toAccent(saved),
    supportUrl,
    supportContact: supportUrl?.replace(/^mailto:/i, '') ?? config.supportContact ?? `an administrator of ${name}`,
  }
}

const withOrg = (brand: Brand, org: store.ShownOrgBranding): Brand => ({
  ...brand,
  name: org.name ?? brand.name,
  logo: toLogo(org) ?? brand.logo,
})

const toAccent = (saved: store.ShownBranding | undefined): Brand['accent'] =>
  saved?.accentLight && saved.accentDark ? { light: saved.accentLight, dark: saved.accentDark } : undefined

const toLogo = (row: store.ShownOrgBranding | undefined): Brand['logo'] =>
  row?.logo ? { url: toPicturePath(row.logo), width: row.logoWidth ?? 1, height: row.logoHeight ?? 1 } : undefined

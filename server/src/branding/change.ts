import type { BrandingFields, OrgBrandingFields } from '@passport/contract/branding'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Preconditions } from '../http/conditional.ts'
import { orgNotFound } from '../orgs/problems.ts'
import * as orgs from '../orgs/store.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { hashOf } from './pictures.ts'
import { pictureUnknown } from './problems.ts'
import * as store from './store.ts'
import { renderStyleSheet } from './style-sheet.ts'

interface VersionedContext extends ChangeContext {
  preconditions: Preconditions
}

/** Replaces the branding of the installation. Throws 400 for a picture that is not stored, and 412. */
export function replaceBranding(sql: Sql, desired: BrandingFields, context: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    const current = await store.lock(sql)
    await recheckCaller(sql, context.caller)
    context.preconditions.check(validatorsOf(current))
    const [before, after] = [toFields(current), toFields({ ...desired, name: desired.name || null })]
    if (JSON.stringify(before) === JSON.stringify(after)) return
    await keepPictures(sql, { logo: after.logo, favicon: after.favicon })
    const stylesheet = after.accent && (await saveStyleSheet(sql, renderStyleSheet(after.accent)))
    await store.save(sql, after, { stylesheet, actor: context.caller.id })
    await audit.record(sql, {
      action: 'branding.changed',
      ...toActorFields(context),
      target: { kind: 'branding', id: 'installation' },
      ...toChange(before, after),
    })
  })
}

/** Replaces the branding of an organisation. Throws 400 for a picture that is not stored, 404 and 412. */
export function replaceOrgBranding(
  sql: Sql,
  orgId: string,
  desired: OrgBrandingFields,
  context: VersionedContext,
): Promise<void> {
  return transaction(sql, async (sql) => {
    if (!(await orgs.lock(sql, orgId))) throw orgNotFound()
    await recheckCaller(sql, context.caller)
    const current = (await store.findOfOrg(sql, orgId)) ?? noOrgBranding
    context.preconditions.check(validatorsOf(current))
    const before = { name: current.name, logo: current.logo }
    const after = { name: desired.name || null, logo: desired.logo }
    if (JSON.stringify(before) === JSON.stringify(after)) return
    await keepPictures(sql, { logo: after.logo })
    await store.saveOfOrg(sql, orgId, after, context.caller.id)
    await audit.record(sql, {
      action: 'org.branding-changed',
      ...toActorFields(context),
      target: { kind: 'org', id: orgId },
      ...toChange(before, after),
    })
  })
}

/** The branding of an organisation before its first change. */
export const noOrgBranding: store.OrgBrandingRow = {
  name: null,
  logo: null,
  revision: 0,
  updatedAt: null,
  updatedBy: null,
}

export const validatorsOf = ({ revision }: { revision: number }) => ({ etag: String(revision) })

const toFields = ({ name, logo, favicon, accent, supportUrl }: BrandingFields): BrandingFields => ({
  name,
  logo,
  favicon,
  accent: accent && { light: accent.light, dark: accent.dark },
  supportUrl,
})

/** Returns the fields that differ, before and after. */
function toChange<Fields extends object>(before: Fields, after: Fields) {
  const changed = (Object.keys(after) as (keyof Fields)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const pick = (fields: Fields) => Object.fromEntries(changed.map((name) => [name, fields[name]]))
  return { before: pick(before), after: pick(after) }
}

/** Throws 400 unless the pictures are stored; keeps them until the transaction ends. */
async function keepPictures(sql: Sql, pictures: Record<string, string | null>): Promise<void> {
  for (const [field, hash] of Object.entries(pictures))
    if (hash !== null && !(await store.keepPicture(sql, hash))) throw pictureUnknown(field)
}

async function saveStyleSheet(sql: Sql, css: string): Promise<string> {
  const hash = hashOf(css)
  await store.saveFile(sql, { hash, type: 'text/css', content: Buffer.from(css), small: null, width: 0, height: 0 })
  return hash
}

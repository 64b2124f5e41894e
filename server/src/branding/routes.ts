import * as api from '@passport/contract/branding'
import type { Feature } from '../feature.ts'
import { notFound } from '../http/problems.ts'
import { WithETag } from '../http/serve.ts'
import { orgNotFound } from '../orgs/problems.ts'
import * as orgs from '../orgs/store.ts'
import { noOrgBranding, replaceBranding, replaceOrgBranding, validatorsOf } from './change.ts'
import { encodePicture, storePicture } from './pictures.ts'
import * as store from './store.ts'

/** What users see as the product: the installation's name, pictures, colours and support link, and those of organisations. */
export const branding: Feature = ({ serve }, { sql, config, branding }) => {
  serve(api.getBranding, async ({ preconditions }) => {
    const found = await read()
    preconditions.check(found.validators)
    return found
  })

  serve(api.putBranding, async ({ body, ...context }) => {
    await replaceBranding(sql, body, context)
    await branding.refresh()
    return read()
  })

  serve(api.uploadBrandPicture, async ({ body }) =>
    storePicture(sql, await encodePicture(Buffer.from(await body.picture.arrayBuffer()), 'picture')),
  )

  serve(api.getOrgBranding, async ({ params, preconditions }) => {
    const found = await readOfOrg(params.orgId)
    preconditions.check(found.validators)
    return found
  })

  serve(api.putOrgBranding, async ({ params, body, ...context }) => {
    await replaceOrgBranding(sql, params.orgId, body, context)
    return readOfOrg(params.orgId)
  })

  serve(api.getBrandStylesheet, ({ params }) => findFile(params.file, 'css', 'text/css'))
  serve(api.getBrandPicture, ({ params }) => findFile(params.file, 'png', 'image/png'))

  async function read() {
    const row = await store.find(sql)
    return new WithETag({ ...row, defaultName: config.brandName }, validatorsOf(row))
  }

  async function readOfOrg(orgId: string) {
    if (!(await orgs.find(sql, orgId))) throw orgNotFound()
    const row = (await store.findOfOrg(sql, orgId)) ?? noOrgBranding
    return new WithETag(row, validatorsOf(row))
  }

  async function findFile(name: string, extension: 'css' | 'png', type: 'text/css' | 'image/png') {
    const [, hash, ending] = /^([0-9a-f]{64})\.(css|png)$/.exec(name) ?? []
    const found = hash !== undefined && ending === extension && (await store.findFile(sql, hash, type))
    if (!found) throw notFound('File')
    const content = await store.readFile(sql, found.hash)
    const { size } = found
    return { type, size, etag: found.hash, read: (start: number, end: number) => [content.subarray(start, end)] }
  }
}

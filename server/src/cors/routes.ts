import * as api from '@passport/contract/cors'
import type { Feature } from '../feature.ts'
import { WithETag } from '../http/serve.ts'
import { describeStack, listStacks } from './allowed-origins.ts'
import { replaceOrigins, validatorsOf } from './change.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/** The origins that may call this server from a browser; `http/` sends the headers. */
export const cors: Feature = ({ serve }, { sql, config, allowedOrigins }) => {
  serve(api.listCorsOrigins, () => allowedOrigins.find(config.stack) ?? [])

  serve(api.listStackCorsOrigins, ({ params }) => {
    const origins = allowedOrigins.find(params.stack)
    if (!origins) throw problems.stackNotFound(params.stack)
    return origins
  })

  serve(api.listCorsStacks, async () => listStacks(await store.list(sql), config))

  serve(api.getCorsStack, async ({ params, preconditions }) => {
    const found = await read(params.stack)
    preconditions.check(found.validators)
    return found
  })

  serve(api.putCorsStack, async ({ params, body, ...context }) => {
    if (body.origins === null) await read(params.stack)
    await replaceOrigins(sql, params.stack, body.origins, context)
    await allowedOrigins.refresh()
    // A stack that was reset may no longer be known.
    const stack = describeStack(params.stack, await store.list(sql), config)
    return new WithETag(stack, validatorsOf(stack))
  })

  async function read(name: string) {
    const stack = listStacks(await store.list(sql), config).find(({ stack }) => stack === name)
    if (!stack) throw problems.stackNotFound(name)
    return new WithETag(stack, validatorsOf(stack))
  }
}

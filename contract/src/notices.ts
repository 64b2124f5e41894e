import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { entity } from './request-body.ts'

/** The emails about the caller's account that they can switch off; all others are always sent. */
export const NoticeSettings = z
  .object({
    /** An email for each sign-in in a browser in which the user has not signed in for 180 days. */
    newDevice: z.boolean(),
  })
  .check(z.meta({ id: 'NoticeSettings' }))
export type NoticeSettings = z.infer<typeof NoticeSettings>

export const getNoticeSettings = endpoint('GET', '/passport/account/notices', {
  summary: 'Get which notices the caller receives by email',
  access: 'signedIn',
  returns: json(NoticeSettings),
})

export const putNoticeSettings = endpoint('PUT', '/passport/account/notices', {
  summary: 'Set which notices the caller receives by email',
  access: 'signedIn',
  body: entity(NoticeSettings),
  returns: json(NoticeSettings),
})

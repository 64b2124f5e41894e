import * as z from 'zod/mini'
import { endpoint, json, pageForm } from './endpoint.ts'
import { Instant } from './instant.ts'

/** The last four digits of an AWS account id, after asterisks: buyers never get the whole id. */
const MaskedAccountId = z.string().check(z.regex(/^\*{8}\d{1,4}$/))

/** Whether AWS sent the buyer with a free trial. The terms of the agreement decide whether there is one. */
export const OfferType = z.enum(['standard', 'free-trial'])
export type OfferType = z.infer<typeof OfferType>

/** A purchase with which AWS Marketplace has sent a browser here, until it is redeemed or expires. */
export const AwsRegistration = z
  .object({
    registrationId: z.string(),
    status: z.enum(['resolved', 'validated', 'redeemed']),
    product: z.object({ id: z.string(), name: z.string(), productCode: z.string() }),
    offerType: OfferType,
    customerAwsAccountId: MaskedAccountId,
    /** Four hours after the browser arrived. */
    expiresAt: Instant,
  })
  .check(z.meta({ id: 'AwsRegistration' }))
export type AwsRegistration = z.infer<typeof AwsRegistration>

/** The field of the landing form with the registration token. */
export const tokenField = 'x-amzn-marketplace-token'
export const offerTypeField = 'x-amzn-marketplace-offer-type'
/** Fields that AWS does not document. They are kept for support, and never decide anything. */
export const hintFields = [
  'x-amzn-marketplace-agreement-id',
  'x-amzn-marketplace-product-id',
  'x-amzn-marketplace-fulfillment-url',
] as const

/** A part of a form. Parts that are files are rejected when the form is read. */
const Part = z.union([z.string(), z.file()])
export const LandingForm = z.catchall(
  z.object({
    [tokenField]: z.optional(Part),
    [offerTypeField]: z.optional(Part),
    [hintFields[0]]: z.optional(Part),
    [hintFields[1]]: z.optional(Part),
    [hintFields[2]]: z.optional(Part),
  }),
  Part,
)
export type LandingForm = z.infer<typeof LandingForm>

export const landingPath = '/passport/licensing/awsmarketplace/landing'

/** The only call that pages of other sites may send: no session comes with it, and none is needed. */
export const registerAwsBuyer = endpoint('POST', landingPath, {
  summary: 'Register a buyer from AWS Marketplace',
  description:
    'The browser of the buyer submits this form from AWS. A navigation is redirected (303) to the page of the app that continues, or explains the failure.',
  access: 'anyone',
  body: pageForm(LandingForm, { maxBytes: 64 * 1024 }),
  returns: json(AwsRegistration),
  rateLimit: { requests: 20, perSeconds: 60, by: 'address', sharedAs: 'awsmp-landing' },
  waitsForOthers: true,
  fails: [409, 410, 502],
})

export const listAwsRegistrations = endpoint('GET', '/passport/licensing/awsmarketplace/registrations', {
  summary: 'List the AWS registrations of this browser',
  description: 'The newest first. They need no session: a cookie of the landing names them.',
  access: 'anyone',
  returns: json(z.array(AwsRegistration)),
})

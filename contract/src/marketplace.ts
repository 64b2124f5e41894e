import * as z from 'zod/mini'
import { PricingModel, SubscriptionState } from './aws-products.ts'
import { Email } from './email.ts'
import { endpoint, json, pageForm } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'
import { OrgName, OrgRole, Slug } from './orgs.ts'
import { action } from './request-body.ts'
import { Line } from './text-fields.ts'

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

const registrationId = z.string().check(z.maxLength(100))
const registrationFailures = [404, 409, 410] as const

/** An organisation of the caller; only owners and admins may give it a subscription. */
const BuyerOrg = z.object({
  id: z.string(),
  name: z.string(),
  role: OrgRole,
  eligible: z.boolean(),
  reason: z.optional(z.literal('not-admin')),
})

export const AwsBuyerValidation = z
  .object({
    registrationId: z.string(),
    /** False if the subscription is in use already. */
    valid: z.boolean(),
    reasons: z.optional(z.array(z.literal('already-redeemed'))),
    status: z.enum(['validated', 'redeemed']),
    user: z.object({
      sub: z.string(),
      displayname: z.nullable(z.string()),
      email: z.nullable(z.string()),
      emailVerified: z.boolean(),
    }),
    product: z.object({ id: z.string(), name: z.string(), pricingModel: PricingModel }),
    offerType: OfferType,
    customerAwsAccountId: MaskedAccountId,
    organisations: z.array(BuyerOrg),
    /** The subscription in use, with its organisation if the caller belongs to it. */
    existingSubscription: z.nullable(
      z.object({
        id: z.string(),
        status: SubscriptionState,
        org: z.nullable(z.object({ id: z.string(), name: z.string() })),
      }),
    ),
    requires: z.array(z.enum(['contactEmail', 'orgId'])),
  })
  .check(z.meta({ id: 'AwsBuyerValidation' }))
export type AwsBuyerValidation = z.infer<typeof AwsBuyerValidation>

export const validateAwsBuyer = endpoint('POST', '/passport/licensing/awsmarketplace/action/validateuser', {
  summary: 'Check whether the caller can redeem an AWS registration',
  description: 'Reserves the registration for the caller. The newest one of the browser is the default.',
  access: 'signedIn',
  body: action(z.object({ registrationId: z.optional(registrationId) }), { isOptional: true }),
  returns: json(AwsBuyerValidation),
  fails: registrationFailures,
})

const ContactName = Line(100, 'contact-name-invalid')

export const RedeemRequest = z
  .object({
    registrationId: z.optional(registrationId),
    /** The organisation that gets the subscription; either this or `newOrg`. */
    orgId: z.optional(z.string().check(z.maxLength(100))),
    newOrg: z.optional(z.object({ name: OrgName, slug: z.optional(Slug) })),
    contactEmail: Email,
    contactName: z.optional(ContactName),
  })
  .check(
    z.refine(({ orgId, newOrg }) => (orgId === undefined) !== (newOrg === undefined), {
      error: 'Send either orgId or newOrg.',
      path: ['orgId'],
      params: { code: 'org-choice' satisfies FieldCode },
    }),
  )
export type RedeemRequest = z.infer<typeof RedeemRequest>

/** What AWS entitles a buyer to in one dimension. */
const BuyerEntitlement = z.object({
  dimension: z.string(),
  value: z.nullable(z.union([z.number(), z.boolean(), z.string()])),
  expiresAt: z.nullable(Instant),
})

export const Redemption = z
  .object({
    subscriptionId: z.string(),
    status: SubscriptionState,
    orgId: z.string(),
    product: z.object({ id: z.string(), name: z.string() }),
    entitlements: z.array(BuyerEntitlement),
    trial: z.boolean(),
    /** What happens next if the subscription is pending. */
    message: z.nullable(z.string()),
  })
  .check(z.meta({ id: 'AwsRedemption' }))
export type Redemption = z.infer<typeof Redemption>

export const redeemAwsRegistration = endpoint('POST', '/passport/licensing/awsmarketplace/action/redeem', {
  summary: 'Give an organisation the subscription of a registration',
  description:
    'A new organisation gets the caller as its owner. 202 while AWS has not confirmed the subscription. Repeating the call for the same organisation changes nothing.',
  access: 'signedIn',
  body: action(RedeemRequest),
  returns: json(Redemption),
  mayBePending: true,
  waitsForOthers: true,
  fails: [...registrationFailures, 429, 502],
})

/** A subscription of an organisation, as its owners and admins see it. */
export const OwnSubscription = z
  .object({
    id: z.string(),
    product: z.object({ id: z.string(), name: z.string() }),
    org: z.object({ id: z.string(), name: z.string() }),
    status: SubscriptionState,
    customerAwsAccountId: MaskedAccountId,
    trial: z.boolean(),
    trialEndsAt: z.nullable(Instant),
    startsAt: z.nullable(Instant),
    endsAt: z.nullable(Instant),
    dimensions: z.array(z.extend(BuyerEntitlement, { unit: z.nullable(z.string()) })),
    supportEmail: z.string(),
  })
  .check(z.meta({ id: 'OwnSubscription' }))
export type OwnSubscription = z.infer<typeof OwnSubscription>

export const listOwnSubscriptions = endpoint('GET', '/passport/account/subscriptions', {
  summary: 'List subscriptions of organisations the caller manages',
  access: 'signedIn',
  returns: json(z.array(OwnSubscription)),
})

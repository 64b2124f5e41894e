import type { FieldError } from '@passport/contract/problem'
import { problem } from '../http/problem.ts'

const withCause = (cause: unknown) => ({ cause })

export const alreadyRedeemed = problem(409, 'already-redeemed', {
  meaning: 'This subscription belongs to an organisation already.',
  remedy: 'Ask an owner of that organisation, or contact support.',
})
export const dimensionEntitlementInvalid = problem(400, 'dimension-entitlement-invalid', {
  meaning: 'An entitlement does not exist, or has a kind that does not fit the dimension.',
  remedy: 'Choose another entitlement. A metered dimension needs one that is a quantity.',
  details: (errors: FieldError[]) => ({ detail: errors.map(({ message }) => message).join(' '), errors }),
})
export const eventApplied = problem(409, 'aws-event-applied', {
  meaning: 'The event is neither unmatched nor failed.',
  remedy: 'Open its subscription to see what it changed.',
})
export const eventKeyInvalid = problem(401, 'awsmp-key-invalid', {
  meaning: 'The header x-passport-webhook-key has none of the configured keys.',
  remedy: 'Compare the connection in EventBridge with AWS_MARKETPLACE_EVENT_KEYS.',
})
export const eventNotFound = problem(404, 'aws-event-not-found', {
  meaning: 'AWS event not found.',
  remedy: 'Check the id.',
})
export const eventsNotConfigured = problem(503, 'awsmp-not-configured', {
  meaning: 'This server accepts no events of AWS Marketplace.',
  remedy: 'Ask the operator of the server to set AWS_MARKETPLACE_EVENT_KEYS.',
  showRemedy: true,
  retryAfterSeconds: 60,
})
export const formHasFile = problem(400, 'awsmp-form-has-file', {
  meaning: 'The form of a landing has no files.',
  remedy: 'Send text fields only.',
})
export const licenseEnded = problem(409, 'license-ended', {
  meaning: 'This subscription has ended at AWS.',
  remedy: 'Subscribe again in AWS Marketplace.',
  showRemedy: true,
})
export const licenseExists = problem(409, 'license-exists', {
  meaning: 'A subscription of this licence exists already.',
  remedy: 'Open that subscription, and assign it to the organisation.',
  details: ({ id, product, org }: { id: string; product: { name: string }; org: { name: string } | null }) => ({
    detail: `This licence has a subscription to ${product.name} already${org ? `, of ${org.name}` : ''}.`,
    errors: [
      { field: 'licenseArn', code: 'license-exists', message: 'A subscription of this licence exists already.' },
    ],
    members: { subscriptionId: id },
  }),
})
export const notConfigured = problem(503, 'awsmp-not-configured', {
  meaning: 'AWS Marketplace is not configured, or AWS does not accept the credentials of this server.',
  remedy: 'Ask the operator of the server to check AWS_MARKETPLACE_REGION and the credentials of AWS.',
  retryAfterSeconds: 60,
  details: withCause,
})
export const notOrgAdmin = problem(403, 'not-org-admin', {
  meaning: 'Only owners and admins of an organisation can give it a subscription.',
  remedy: 'Ask an owner, or create another organisation.',
})
export const productCodeTaken = problem(409, 'product-code-taken', {
  meaning: 'An AWS product with this product code already exists.',
  remedy: 'Edit that product, or check the code.',
  showRemedy: true,
  field: 'productCode',
})
export const productDisabled = problem(400, 'aws-product-disabled', {
  meaning: 'The AWS product is disabled, so that it takes no new subscriptions.',
  remedy: 'Enable the product first.',
  showRemedy: true,
  field: 'productId',
})
export const productHasSubscriptions = problem(409, 'product-has-subscriptions', {
  meaning: 'The product has subscriptions.',
  remedy: 'Disable it instead: it then takes no new subscriptions.',
  showRemedy: true,
})
export const productIdTaken = problem(409, 'product-id-taken', {
  meaning: 'An AWS product with this product id already exists.',
  remedy: 'Edit that product, or check the id.',
  showRemedy: true,
  field: 'productId',
})
export const productNotFound = problem(404, 'aws-product-not-found', {
  meaning: 'AWS product not found.',
  remedy: 'Check the id.',
})
export const productUnknown = problem(409, 'awsmp-product-unknown', {
  meaning: 'This product is not offered here at the moment.',
  remedy: 'Contact the seller. An administrator must add the product, or enable it.',
})
export const refused = problem(502, 'awsmp-unavailable', {
  meaning: 'AWS Marketplace has refused the request.',
  remedy: 'Check the product code and the ids. The log has the name of the error.',
  details: withCause,
})
export const registrationExpired = problem(410, 'registration-expired', {
  meaning: 'A purchase must be set up within four hours.',
  remedy: 'Return to AWS Marketplace and select Set up your account again.',
  showRemedy: true,
})
export const registrationNotFound = problem(404, 'registration-not-found', {
  meaning: 'This browser has no such purchase to set up.',
  remedy: 'Return to AWS Marketplace and select Set up your account again.',
  showRemedy: true,
})
export const registrationTaken = problem(409, 'registration-taken', {
  meaning: 'Another user has begun to set up this purchase.',
  remedy: 'Sign in as that user, or return to AWS Marketplace and select Set up your account again.',
})
export const simulatorOff = problem(404, 'simulator-off', {
  meaning: 'This server is not connected to a simulated AWS Marketplace.',
  remedy: 'Start `npm run world`.',
  showRemedy: true,
})
export const simulatorRefused = problem(409, 'simulator-refused', {
  meaning: 'The simulated AWS Marketplace cannot do this.',
  remedy: 'Read the detail.',
  details: (detail: string) => ({ detail }),
})
export const eventOfOtherLicense = problem(409, 'event-of-other-license', {
  meaning: 'The event names another licence than that of the subscription.',
  remedy: 'Choose the subscription of that licence, or create it.',
  showRemedy: true,
})
export const snsCertificateUnavailable = problem(502, 'sns-certificate-unavailable', {
  meaning: 'The certificate of Amazon SNS could not be read.',
  remedy: 'Let the server reach sns.<region>.amazonaws.com by https. Amazon SNS repeats the message.',
})
export const snsMessageInvalid = problem(400, 'sns-message-invalid', {
  meaning: 'The body is no message of Amazon SNS about AWS Marketplace.',
  remedy: 'Subscribe this URL to a topic of a product, without raw message delivery.',
})
export const snsMessageOld = problem(403, 'sns-message-old', {
  meaning: 'The message of Amazon SNS is older than a day.',
  remedy: 'Check the clock of the server.',
})
export const snsNotConfirmed = problem(502, 'sns-not-confirmed', {
  meaning: 'The subscription to the topic could not be confirmed.',
  remedy: 'Let the server reach sns.<region>.amazonaws.com by https, and request the confirmation again.',
})
export const snsSignatureInvalid = problem(403, 'sns-signature-invalid', {
  meaning: 'The message has no valid signature of Amazon SNS.',
  remedy: 'Send it through Amazon SNS.',
})
export const snsTopicUnknown = problem(403, 'sns-topic-unknown', {
  meaning: 'The topic belongs to no product.',
  remedy: 'Add the ARN of the topic to the product.',
})
export const subscriptionNotFound = problem(404, 'aws-subscription-not-found', {
  meaning: 'AWS subscription not found.',
  remedy: 'Check the id.',
})
export const throttled = problem(429, 'awsmp-throttled', {
  meaning: 'AWS Marketplace receives too many requests.',
  remedy: 'Try again in a few seconds.',
  showRemedy: true,
  retryAfterSeconds: 5,
  details: withCause,
})
export const tokenExpired = problem(410, 'awsmp-token-expired', {
  meaning: 'The link from AWS Marketplace has expired.',
  remedy: 'Return to AWS Marketplace and select Set up your account again.',
  showRemedy: true,
  details: withCause,
})
export const tokenInvalid = problem(400, 'awsmp-token-invalid', {
  meaning: 'AWS Marketplace does not know this registration token.',
  remedy: 'Return to AWS Marketplace and select Set up your account again.',
  showRemedy: true,
  details: withCause,
})
export const tokenMissing = problem(400, 'awsmp-token-missing', {
  meaning: 'The form has no registration token.',
  remedy: 'Return to AWS Marketplace and select Set up your account again.',
  showRemedy: true,
})
export const tokenOverused = problem(409, 'awsmp-token-overused', {
  meaning: 'This purchase was opened in five browsers already.',
  remedy: 'Return to AWS Marketplace and select Set up your account again.',
  showRemedy: true,
})
export const unavailable = problem(502, 'awsmp-unavailable', {
  meaning: 'AWS Marketplace is not responding.',
  remedy: 'Try again in a moment.',
  showRemedy: true,
  details: withCause,
})
export const unknownProduct = problem(400, 'unknown-aws-product', {
  meaning: 'AWS product not found.',
  remedy: 'Check the id in `productId`.',
  field: 'productId',
})

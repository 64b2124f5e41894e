/**
 * The codes of values that break a rule of the contract, with their meaning; the message of each error has the rule. If
 * all errors of a request have the same one of these codes, it is also the code of the problem.
 */
export const fieldCodes = {
  'account-id-invalid': 'The value is not the id of an AWS account.',
  'agreement-id-invalid': 'The id of the agreement does not begin with agmt-, or is no id.',
  'api-name-invalid': 'The name of the API is empty, too long, or not one line of text.',
  'app-role-invalid': 'The value of the app role has spaces or characters that are not allowed, or is too long.',
  'audience-invalid': 'The audience is not an absolute URI, is too long, or has a user name, a password or a fragment.',
  'client-id-invalid': 'The client id has characters that are not allowed, or is too long.',
  'client-name-invalid': 'The name of the application is empty, too long, or not one line of text.',
  'contact-name-invalid': 'The name of the contact is empty, too long, or not one line of text.',
  'description-invalid': 'The description is too long, or not one line of text.',
  'dimension-key-invalid': 'The key of the dimension has characters that are not allowed, or is too long.',
  'displayname-invalid': 'The display name is empty, too long, or not one line of text.',
  'domain-invalid': 'The value is not a domain name or, where an email address is expected, has none.',
  'email-invalid': 'The value is not an email address.',
  'entitlement-key-invalid':
    'The key of the entitlement is not words of letters a to z and digits joined by dots, or is too long.',
  'entitlement-name-invalid': 'The name of the entitlement is empty, too long, or not one line of text.',
  'group-name-invalid': 'The name of the group is empty, too long, or not one line of text.',
  'guid-invalid': 'The value is not a GUID.',
  'license-arn-invalid': 'The value is not the ARN of a licence.',
  'name-invalid': 'The name of the organisation is empty, too long, or not one line of text.',
  'period-invalid': 'The end of the period is not after its start.',
  'org-choice': 'The request has neither an organisation nor a new one, or both.',
  'personal-token-name-invalid': 'The name of the token is empty, too long, or not one line of text.',
  'preference-key-invalid': 'The value is not a valid preference key.',
  'product-code-invalid': 'The product code has characters that are not allowed, or is too long.',
  'product-id-invalid': 'The product id does not begin with prod-, or is no id.',
  'product-name-invalid': 'The name of the product is empty, too long, or not one line of text.',
  'quantity-invalid': 'The quantity is missing, not a whole number in the allowed range, or given for a flag.',
  'region-invalid': 'The value is not a region of AWS.',
  'role-name-invalid': 'The name of the role is not PascalCase words separated by dots, such as Stage.Editor.',
  'scope-name-invalid': 'The name of the scope has characters that are not allowed, is too long, or is reserved.',
  'slug-invalid': 'The slug has characters other than letters a to z, digits and hyphens, or is too long.',
  'topic-arn-invalid': 'The value is not the ARN of an SNS topic.',
  'unit-invalid': 'The unit is empty, too long, not one line of text, or given for a flag.',
  'uri-invalid': 'The URI is not absolute, not https, too long, or has a user name, a password or a fragment.',
  'username-invalid': 'The username has an invalid length, contains characters that are not allowed, or is reserved.',
} as const
export type FieldCode = keyof typeof fieldCodes

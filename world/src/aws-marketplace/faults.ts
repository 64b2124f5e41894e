import { AwsError } from './market.ts'

/** The operations that the simulation has. */
export const operations = [
  'ResolveCustomer',
  'BatchMeterUsage',
  'GetEntitlements',
  'DescribeAgreement',
  'GetAgreementTerms',
] as const
export type Operation = (typeof operations)[number]

export const faults = {
  timeout: 'accepts the request and never responds',
  close: 'closes the connection',
  throttle: 'throttles',
  fail: 'fails with an internal error',
  disabled: 'is disabled in this region',
  denied: 'denies access',
  credentials: 'does not know the credentials',
  'expired-credentials': 'says that the credentials have expired',
  garbage: 'responds with a web page',
  'empty-page': 'returns an empty page before the first one',
  unprocessed: 'leaves all records unprocessed',
  partial: 'leaves every second record unprocessed',
  'lost-response': 'processes the request and never responds',
  'cut-response': 'processes the request and closes the connection',
  'invalid-license': 'says that a licence is invalid',
} as const
export type Fault = keyof typeof faults

/** The errors of the faults; each service has names of its own. */
export function errorOf(fault: Fault, operation: Operation): AwsError | undefined {
  const isAgreement = operation === 'DescribeAgreement' || operation === 'GetAgreementTerms'
  switch (fault) {
    case 'throttle':
      return new AwsError('ThrottlingException', 'Rate exceeded', isAgreement ? 429 : 400)
    case 'fail':
      return new AwsError(isAgreement ? 'InternalServerException' : 'InternalServiceErrorException', 'Try again.', 500)
    case 'disabled':
      return operation === 'ResolveCustomer' || operation === 'BatchMeterUsage'
        ? new AwsError('DisabledApiException', 'The API is disabled in the Region.')
        : new AwsError('OptInRequired', 'The account needs a subscription for the service.', 403)
    case 'denied':
      return new AwsError('AccessDeniedException', `Not authorized to perform ${operation}.`, isAgreement ? 403 : 400)
    case 'invalid-license':
      return operation === 'BatchMeterUsage'
        ? new AwsError('InvalidLicenseException', 'The license is invalid.')
        : undefined
    case 'credentials':
      return new AwsError('UnrecognizedClientException', 'The security token included in the request is invalid.')
    case 'expired-credentials':
      return new AwsError('ExpiredTokenException', 'The security token included in the request is expired')
    default:
      return undefined
  }
}

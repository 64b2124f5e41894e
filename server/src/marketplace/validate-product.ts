import type { AwsProductValidation } from '@passport/contract/aws-products'
import type { Services } from '../feature.ts'
import { Problem } from '../http/problem.ts'
import { getEntitlements } from './aws.ts'
import { notConfigured } from './problems.ts'

/** No AWS account has this id. */
const unknownAccount = '000000000000'

type Outcome = Pick<AwsProductValidation, 'result' | 'credentials' | 'productCode'>

const outcomes = {
  ok: { result: 'ok', credentials: 'ok', productCode: 'ok' },
  // AWS does not say whether the credentials or a product of another seller are the reason.
  accessDenied: { result: 'access-denied', credentials: 'invalid', productCode: 'unknown' },
  invalidProductCode: { result: 'invalid-product-code', credentials: 'ok', productCode: 'invalid' },
  notConfigured: { result: 'not-configured', credentials: 'unknown', productCode: 'unknown' },
  unavailable: { result: 'unavailable', credentials: 'unknown', productCode: 'unknown' },
} satisfies Record<string, Outcome>

/**
 * Checks credentials and product code by a read that finds nothing. The dimensions of a product are known only to
 * BatchMeterUsage, which would bill a buyer.
 */
export async function validateProduct(
  services: Pick<Services, 'config' | 'log'>,
  product: { productCode: string },
): Promise<AwsProductValidation> {
  const { outcome, awsError } = await getEntitlements(services, product, { accountId: unknownAccount }).then(
    () => ({ outcome: outcomes.ok as Outcome, awsError: null }),
    (error: unknown) => {
      if (!(error instanceof Problem)) throw error
      const { awsError = null } = (error.cause ?? {}) as { awsError?: string }
      return { outcome: readOutcome(error, awsError), awsError }
    },
  )
  return { ...outcome, dimensions: 'unknown', awsError, checkedAt: new Date().toISOString() }
}

/** The errors of AWS that say that the server has no credentials at all. */
const missingCredentials = new Set(['CredentialsProviderError', 'TokenProviderError'])

function readOutcome({ code }: Problem, awsError: string | null): Outcome {
  if (awsError === 'InvalidParameterException') return outcomes.invalidProductCode
  if (code !== notConfigured.code) return outcomes.unavailable
  return awsError === null || missingCredentials.has(awsError) ? outcomes.notConfigured : outcomes.accessDenied
}

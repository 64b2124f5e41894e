import {
  type AwsMarketplaceOptions,
  type RunningAwsMarketplace,
  startAwsMarketplace,
} from '@passport/world/aws-marketplace/aws-marketplace'
import { addToPassport } from '@passport/world/aws-marketplace/stage-products'
import { findFreePort } from '@passport/world/port'
import { vi } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestDatabaseOptions, type TestService, type Visitor } from '../test-service.ts'

/** A service that is connected to a simulated AWS Marketplace. */
export interface AwsService {
  service: TestService
  marketplace: RunningAwsMarketplace
  /** The key with which EventBridge delivers events. */
  eventKey: string
  /** An administrator. */
  ada: Visitor
}

interface AwsServiceOptions extends TestDatabaseOptions, Pick<AwsMarketplaceOptions, 'products'> {
  env?: Record<string, string>
  /** The port of the service; a free one by default. */
  port?: number
}

const eventKey = 'the-key-of-the-connection-in-EventBridge'

/**
 * Starts the service with a simulated AWS Marketplace. Both have the products of the demo world, or the marketplace those
 * of `products` and the service none. Stops after the tests of the file.
 */
export async function startAwsService(options: AwsServiceOptions = {}): Promise<AwsService> {
  const { env = {}, products, port = await findFreePort(), ...database } = options
  const publicUrl = `http://localhost:${port}`
  const marketplace = await startAwsMarketplace({
    fulfilmentUrl: `${publicUrl}/passport/licensing/awsmarketplace/landing`,
    eventsUrl: `${publicUrl}/passport/licensing/awsmarketplace/events`,
    eventKey,
    // Tests are faster than the limit of AWS allows.
    requestsPerSecond: Number.POSITIVE_INFINITY,
    ...(products && { products }),
  })
  onFileEnd(marketplace.stop)
  setAwsVariables(marketplace.environment)
  const service = await startTestService(
    {
      PORT: String(port),
      AWS_MARKETPLACE_REGION: 'us-east-1',
      AWS_MARKETPLACE_EVENT_KEYS: eventKey,
      AWS_ENDPOINT_URL_MARKETPLACE_METERING: marketplace.url,
      AWS_ENDPOINT_URL_SNS: marketplace.url,
      ...env,
    },
    database,
  )
  const ada = await service.as('ada')
  if (!products)
    await addToPassport((path, body) =>
      ada.fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    )
  return { service, marketplace, eventKey, ada }
}

/** Sets the variables of the AWS SDK, which reads them from the process, until the end of the test file. */
export function setAwsVariables(variables: Record<string, string>): void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  onFileEnd(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
}

/** Runs `call` with time limits of a hundredth, so that a test need not wait for an AWS that never responds. */
export async function withShortTimeouts<T>(call: () => Promise<T>): Promise<T> {
  const { timeout } = AbortSignal
  const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / 100))
  try {
    return await call()
  } finally {
    limits.mockRestore()
  }
}

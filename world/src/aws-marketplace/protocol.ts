import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import { describeAgreement, getAgreementTerms } from './agreements.ts'
import { createToken, getEntitlements } from './entitlements.ts'
import { errorOf, type Fault, type Operation } from './faults.ts'
import { AwsError, type Market } from './market.ts'
import { batchMeterUsage, resolveCustomer } from './metering.ts'

/** A request of the seller, and the response. */
export interface AwsRequest {
  operation: string
  input: unknown
  status: number
  output: unknown
}

/** The state of the endpoints besides that of the marketplace. */
export interface Endpoints {
  accessKeyId: string
  /** Requests a second and operation, as AWS limits them. */
  requestsPerSecond: number
  /** The faults of the next requests, in this order. */
  faults: { operation: Operation; fault: Fault; times: number }[]
  requests: AwsRequest[]
}

// biome-ignore lint/suspicious/noExplicitAny: each operation validates its own input.
type Serve = (market: Market, input: any) => object

const services: Record<string, { contentType: string; operations: Record<string, Serve> }> = {
  AWSMPMeteringService: {
    contentType: 'application/x-amz-json-1.1',
    operations: { ResolveCustomer: resolveCustomer, BatchMeterUsage: batchMeterUsage },
  },
  AWSMPEntitlementService: {
    contentType: 'application/x-amz-json-1.1',
    operations: { GetEntitlements: getEntitlements },
  },
  AWSMPCommerceService_v20200301: {
    contentType: 'application/x-amz-json-1.0',
    operations: { DescribeAgreement: describeAgreement, GetAgreementTerms: getAgreementTerms },
  },
}

const maxBodyBytes = 1024 * 1024
const maxClockSkewMs = 15 * 60_000
const signature =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/[a-z0-9-]+\/([a-z-]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$/

/** Serves the JSON protocols of AWS for the three services, all at `POST /`, as their endpoints do. */
export function serveProtocol(app: Hono, market: Market, endpoints: Endpoints) {
  const times = new Map<string, number[]>()

  app.post('/', async (c) => {
    const [serviceName = '', operation = ''] = c.req.header('x-amz-target')?.split('.') ?? []
    const service = services[serviceName]
    const text = await c.req.text()
    const request: AwsRequest = { operation, input: undefined, status: 0, output: undefined }
    endpoints.requests.push(request)
    const respond = (status: number, output: object) => {
      Object.assign(request, { status, output })
      return c.body(JSON.stringify(output), status as 200, {
        'content-type': service?.contentType ?? 'application/x-amz-json-1.1',
        'x-amzn-requestid': crypto.randomUUID(),
      })
    }
    try {
      const serve = service?.operations[operation]
      if (!service || !serve) throw new AwsError('UnknownOperationException', '')
      if (c.req.header('content-type') !== service.contentType) throw new AwsError('UnknownOperationException', '')
      if (text.length >= maxBodyBytes) throw new AwsError('RequestEntityTooLargeException', 'Request too large', 413)
      checkSignature(c, endpoints.accessKeyId)
      request.input = parse(text)
      const fault = takeFault(operation)
      if (fault === 'timeout') return await new Promise<Response>(() => {})
      if (fault === 'close') {
        ;(c.env as HttpBindings).incoming.socket.destroy()
        return c.body(null)
      }
      if (fault === 'garbage') return c.html('<h1>502 Bad Gateway</h1>', 502)
      const error = fault && errorOf(fault, operation as Operation)
      if (error) throw error
      checkRate(operation)
      if (fault === 'empty-page' && operation === 'GetEntitlements')
        return respond(200, { Entitlements: [], NextToken: createToken(0) })
      if (fault === 'unprocessed' && operation === 'BatchMeterUsage')
        return respond(200, { Results: [], UnprocessedRecords: (request.input as { UsageRecords: [] }).UsageRecords })
      if (fault === 'partial' && operation === 'BatchMeterUsage')
        return respond(200, serveHalf(market, request.input as { UsageRecords: object[] }))
      const output = serve(market, request.input)
      if (fault === 'lost-response') {
        Object.assign(request, { status: 200, output })
        return await new Promise<Response>(() => {})
      }
      if (fault === 'cut-response') {
        Object.assign(request, { status: 200, output })
        ;(c.env as HttpBindings).incoming.socket.destroy()
        return c.body(null)
      }
      return respond(200, output)
    } catch (error) {
      if (!(error instanceof AwsError)) throw error
      return respond(error.status, { __type: error.name, message: error.message })
    }
  })

  function takeFault(operation: string): Fault | undefined {
    const planned = endpoints.faults.find((candidate) => candidate.operation === operation && candidate.times > 0)
    if (planned) planned.times -= 1
    endpoints.faults = endpoints.faults.filter((candidate) => candidate.times > 0)
    return planned?.fault
  }

  function checkRate(operation: string) {
    const now = Date.now()
    const recent = (times.get(operation) ?? []).filter((time) => time > now - 1000)
    times.set(operation, [...recent, now])
    if (recent.length >= endpoints.requestsPerSecond) throw new AwsError('ThrottlingException', 'Rate exceeded')
  }
}

/** Meters every second record, and returns the others as unprocessed. */
function serveHalf(market: Market, input: { UsageRecords: object[] }) {
  const isProcessed = (_: object, index: number) => index % 2 === 1
  const { Results } = batchMeterUsage(market, { ...input, UsageRecords: input.UsageRecords.filter(isProcessed) })
  return { Results, UnprocessedRecords: input.UsageRecords.filter((_, index) => !isProcessed(_, index)) }
}

function parse(text: string): object {
  try {
    const input = JSON.parse(text)
    if (typeof input === 'object' && input !== null) return input
  } catch {}
  throw new AwsError('SerializationException', 'The body is no JSON object.')
}

/** Checks the headers of Signature Version 4, but not the signature itself. */
function checkSignature(c: Context, accessKeyId: string) {
  const authorization = c.req.header('authorization')
  if (!authorization) throw new AwsError('MissingAuthenticationTokenException', 'Missing Authentication Token')
  const [, key, service, signedHeaders = ''] = signature.exec(authorization) ?? []
  const signed = signedHeaders.split(';')
  if (!key || !['host', 'x-amz-date', 'x-amz-target'].every((name) => signed.includes(name)))
    throw new AwsError('IncompleteSignatureException', 'The signature is incomplete.')
  if (service !== 'aws-marketplace')
    throw new AwsError(
      'InvalidSignatureException',
      "Credential should be scoped to correct service: 'aws-marketplace'.",
    )
  const date = c.req.header('x-amz-date')?.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  if (!(Math.abs(Date.parse(date ?? '') - Date.now()) <= maxClockSkewMs))
    throw new AwsError('InvalidSignatureException', 'Signature expired.')
  if (key !== accessKeyId)
    throw new AwsError('UnrecognizedClientException', 'The security token included in the request is invalid.')
}

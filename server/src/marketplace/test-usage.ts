import type { AwsService } from './test-aws.ts'

const hourMs = 60 * 60 * 1000

/** Returns the start of the hour `ago` hours before the current one. */
export const hourAgo = (ago: number): string => new Date((Math.floor(Date.now() / hourMs) - ago) * hourMs).toISOString()

let serial = 0

/** A metered subscription of an organisation, at AWS and in Passport. */
export interface TestMeter {
  id: string
  orgId: string
  licenseArn: string
  agreementId: string
}

/**
 * Subscribes a new organisation to a product; no events are delivered. The state in Passport is written directly. Buyers
 * of a legacy product have a customer identifier.
 */
export async function addMeter(
  { service: { sql }, marketplace }: Pick<AwsService, 'marketplace'> & { service: Pick<AwsService['service'], 'sql'> },
  productCode: string,
  fields: object = {},
): Promise<TestMeter> {
  marketplace.setDelivery('held')
  const { licenseArn, accountId, agreementId, customerIdentifier } = await marketplace.buy({ product: productCode })
  marketplace.setDelivery('automatic')
  const id = `meter-${++serial}`
  await sql`insert into orgs (id, name, slug) values (${id}, ${id}, ${id})`
  const [product] = await sql<{ id: string; integration: string }[]>`
    select id, integration from aws_products where product_code = ${productCode}`
  const isLegacy = product?.integration === 'legacy'
  const row = {
    id,
    orgId: id,
    productId: product?.id,
    licenseArn: isLegacy ? null : licenseArn,
    licenseKey: isLegacy ? null : licenseArn.split(':').at(-1),
    customerIdentifier: isLegacy ? customerIdentifier : null,
    customerAwsAccountId: accountId,
    agreementId,
    source: 'landing',
    status: 'active',
    startsAt: hourAgo(48),
    ...fields,
  }
  await sql`insert into aws_subscriptions ${sql(row as never)}`
  return { id, orgId: id, licenseArn, agreementId }
}

/** Adds usage of streaming hours in closed hours: the hours ago and the quantities. */
export async function addUsage(
  sql: AwsService['service']['sql'],
  { id, orgId }: TestMeter,
  quantities: Record<number, number>,
  { isOpen = false, usageOrgId = orgId } = {},
): Promise<void> {
  for (const [ago, quantity] of Object.entries(quantities))
    await sql`
      insert into entitlement_usage (id, entitlement_id, org_id, hour, quantity, subscription_id, closed_at)
      select ${`usage-${++serial}`}, id, ${usageOrgId}, ${hourAgo(Number(ago))}, ${quantity}, ${id},
        ${isOpen ? null : new Date().toISOString()}
      from entitlements where key = 'stage.hours'`
}

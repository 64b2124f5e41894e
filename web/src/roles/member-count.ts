import type { Role } from '@passport/contract/roles'

/** “1 person”, “10,000+ people”. */
export function memberCountOf({ memberCount, memberCountIsExact }: Role): string {
  const counted = `${memberCount.toLocaleString('en')}${memberCountIsExact === false ? '+' : ''}`
  return `${counted} ${memberCount === 1 ? 'person' : 'people'}`
}

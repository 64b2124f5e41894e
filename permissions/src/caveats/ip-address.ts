/** An address of 4 or 16 bytes, as in Go's `netip`: an IPv4-mapped IPv6 address stays IPv6. */
interface Address {
  bits: 32 | 128
  value: bigint
  zone: string
}

/** Normalises an address, so that equal addresses are equal strings. Returns undefined for invalid ones. */
export function normaliseAddress(text: string): string | undefined {
  const address = parseAddress(text)
  return address && `${address.bits}:${address.value.toString(16)}%${address.zone}`
}

/**
 * Reports whether a normalised address lies in a block such as `10.0.0.0/8`. Returns undefined for an invalid block.
 */
export function isInBlock(normalised: string, block: string): boolean | undefined {
  const [, base = '', length = ''] = /^([^%]+)\/(0|[1-9]\d{0,2})$/.exec(block) ?? []
  const prefix = parseAddress(base)
  if (!prefix || Number(length) > prefix.bits) return undefined
  const [, bits, value, zone] = /^(\d+):([0-9a-f]+)%(.*)$/s.exec(normalised) ?? []
  // A block has no zone, so it never contains an address with a zone.
  if (Number(bits) !== prefix.bits || zone) return false
  const shift = BigInt(prefix.bits - Number(length))
  return BigInt(`0x${value}`) >> shift === prefix.value >> shift
}

function parseAddress(text: string): Address | undefined {
  if (!text.includes(':')) {
    const value = parseIpv4(text)
    return value === undefined ? undefined : { bits: 32, value, zone: '' }
  }
  const [, digits = '', zone = ''] = /^([^%]*)(?:%(.+))?$/s.exec(text) ?? []
  const value = parseIpv6(digits)
  if (value === undefined || (zone && value >> 32n === 0xffffn)) return undefined
  return { bits: 128, value, zone }
}

function parseIpv4(text: string): bigint | undefined {
  if (!/^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text)) return undefined
  const bytes = text.split('.').map(Number)
  if (bytes.some((byte) => byte > 255)) return undefined
  return bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n)
}

function parseIpv6(text: string): bigint | undefined {
  const halves = expandDottedTail(text)?.split('::')
  if (!halves || halves.length > 2) return undefined
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const zeros = 8 - head.length - tail.length
  if (halves.length === 2 ? zeros < 1 : zeros !== 0) return undefined
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...tail]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  return groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n)
}

/** The last four bytes may be in IPv4 notation. */
function expandDottedTail(text: string): string | undefined {
  const dotted = /^(.*:)([\d.]*\.[\d.]*)$/s.exec(text)
  if (!dotted) return text
  const value = parseIpv4(dotted[2] ?? '')
  return value === undefined
    ? undefined
    : `${dotted[1]}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}

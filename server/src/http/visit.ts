import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/** Where a request comes from and what it is known by: what the audit keeps beside who did it. */
export interface Visit {
  ip: string
  userAgent: string
  /** 32 hex digits: of the caller's `traceparent` (W3C Trace Context) where it sent one. */
  traceId: string
  /** The host that the client asked for. */
  host: string
}

export type ReadVisit = (incoming: IncomingMessage) => Visit

/** `trustedProxies` are the addresses and CIDR ranges whose word about the client's address counts. */
export function visitReader(trustedProxies: string[]): ReadVisit {
  const isTrusted = trustedBy(trustedProxies)
  return (incoming) => ({
    ip: clientAddress(incoming, isTrusted),
    userAgent: (incoming.headers['user-agent'] ?? '').slice(0, 512),
    traceId: traceIdOf(incoming.headers['traceparent']),
    host: hostOf(incoming, isTrusted),
  })
}

type IsTrusted = (address: string) => boolean

/** The nearest address that is no trusted proxy: what is further away may be invented. */
function clientAddress({ headers, socket }: IncomingMessage, isTrusted: IsTrusted): string {
  let address = normalise(socket.remoteAddress ?? '')
  if (!isTrusted(address)) return address
  for (const hop of forwardedFor(headers).reverse()) {
    if (!ipaddr.isValid(hop)) break
    address = normalise(hop)
    if (!isTrusted(address)) break
  }
  return address
}

function hostOf({ headers, socket }: IncomingMessage, isTrusted: IsTrusted): string {
  const forwarded = String(headers['x-forwarded-host'] ?? '')
    .split(',')[0]
    ?.trim()
  return (isTrusted(normalise(socket.remoteAddress ?? '')) && forwarded) || (headers.host ?? '')
}

/** The addresses from `Forwarded` (RFC 7239) or `X-Forwarded-For`, the client's first. */
function forwardedFor(headers: IncomingMessage['headers']): string[] {
  const { forwarded, 'x-forwarded-for': listed } = headers
  const hops = forwarded
    ? [...forwarded.matchAll(/for=(?:"([^"]*)"|([^;,\s]+))/gi)].map(([, quoted, bare]) => quoted ?? bare ?? '')
    : String(listed ?? '').split(',')
  return hops.map(withoutPort)
}

function withoutPort(hop: string): string {
  const text = hop.trim()
  const bracketed = /^\[([^\]]+)\]/.exec(text)?.[1]
  return bracketed ?? (text.includes('.') ? text.replace(/:\d+$/, '') : text)
}

function trustedBy(proxies: string[]): IsTrusted {
  if (proxies.length === 0) return () => false
  const ranges = proxies.map((proxy) =>
    proxy.includes('/') ? ipaddr.parseCIDR(proxy) : ipaddr.parseCIDR(`${proxy}/${proxy.includes(':') ? 128 : 32}`),
  )
  return (text) => {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return ranges.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits))
  }
}

/** Whether an address is of this machine itself. */
export const isLoopback = (ip: string): boolean => ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback'

const maxKept = 1000
const normalised = new Map<string, string>()

/** Kept, as few addresses send most requests. */
function normalise(address: string): string {
  const known = normalised.get(address)
  if (known !== undefined) return known
  const found = ipaddr.isValid(address) ? ipaddr.process(address).toString() : address
  if (normalised.size >= maxKept) normalised.clear()
  normalised.set(address, found)
  return found
}

/** The neighbourhood of an address: what failures are counted by (/24 of IPv4, /64 of IPv6). */
export const networkOf = (ip: string): string => prefixOf(ip, 24)

/** What one subscriber has: an address of IPv4, a /64 of IPv6. */
export const subscriberOf = (ip: string): string => prefixOf(ip, 32)

/**
 * What two addresses tell of how far apart they are, which is little: one network, or one range of networks (/16 of
 * IPv4, /32 of IPv6), as one provider has. Of IPv4 and IPv6, which one home may use both, they tell nothing.
 */
export function distanceBetween(ip: string, other: string): Distance {
  if (networkOf(ip) === networkOf(other)) return 'same-network'
  const isComparable = ipaddr.isValid(ip) && ipaddr.isValid(other) && kindOf(ip) === kindOf(other)
  if (!isComparable) return 'not-comparable'
  return prefixOf(ip, 16, 32) === prefixOf(other, 16, 32) ? 'same-range' : 'another-network'
}

export type Distance = 'same-network' | 'same-range' | 'another-network' | 'not-comparable'

const kindOf = (ip: string) => ipaddr.process(ip).kind()

function prefixOf(ip: string, bitsOfIpv4: number, bitsOfIpv6 = 64): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  const bits = address.kind() === 'ipv4' ? bitsOfIpv4 : bitsOfIpv6
  const network =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`)
  return `${network}/${bits}`
}

/** That of the caller's `traceparent` header, a new one where it sent none that is one. */
export function traceIdOf(traceparent: string | string[] | undefined): string {
  const sent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(String(traceparent ?? ''))?.[1]
  // Less than a third of what random bytes cost, as Node keeps some ready.
  return sent && !/^0+$/.test(sent) ? sent : randomUUID().replaceAll('-', '')
}

/** What a person reads to support, and support finds in the log and the audit: the start of the trace id. */
export const supportCodeOf = (traceId: string): string => `${traceId.slice(0, 4)}-${traceId.slice(4, 8)}`.toUpperCase()

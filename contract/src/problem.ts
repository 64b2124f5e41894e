import * as z from 'zod/mini'

/** One thing that is wrong with a request: `field` is a path such as `members[2]` or the name of a parameter. */
const Fault = z.object({ field: z.string(), code: z.string(), message: z.string() })
export type Fault = z.infer<typeof Fault>

/** How the service tells a failure: RFC 9457, with a stable `code` and one entry in `errors` for each fault. */
export const Problem = z
  .object({
    type: z.string(),
    /** The status phrase, so that clients that show nothing else show something sensible. */
    title: z.string(),
    status: z.int(),
    detail: z.optional(z.string()),
    instance: z.optional(z.string()),
    code: z.string(),
    traceId: z.string(),
    errors: z.optional(z.array(Fault)),
  })
  .check(z.meta({ id: 'Problem' }))
export type Problem = z.infer<typeof Problem>

/** The status phrases (spec, section 8). HTTP/2 carries none, so clients tell them from here. */
export const phrases: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  418: 'Im a teapot',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  510: 'Not Extended',
  511: 'Network Authentication Required',
}

/** The phrase of a status; `Generic Error` for one that has none. */
export const phraseOf = (status: number): string => phrases[status] ?? 'Generic Error'

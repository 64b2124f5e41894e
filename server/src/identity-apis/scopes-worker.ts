// Reads the scopes of a document in a thread of its own, whose memory and time are limited: see change.ts.

import { parentPort, workerData } from 'node:worker_threads'
import { parseScopes } from './import-scopes.ts'

parentPort?.postMessage(parseScopes(workerData as string))

import { startEmbeddedPostgres } from './src/database/embedded.ts'
const pg = await startEmbeddedPostgres('/tmp/store-lab/data', { fsync: process.argv[2] === 'fsync', maxConnections: 100 } as never)
console.log(JSON.stringify(pg.address))
process.on('SIGTERM', async () => { await pg.stop(); process.exit(0) })
setInterval(() => {}, 1000)

export default {
  input: process.env.DOCUMENT,
  output: { path: process.env.CLIENT, importFileExtension: '.js' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
};

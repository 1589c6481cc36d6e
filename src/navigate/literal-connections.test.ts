/** Connections by literal names other than routes: tables, variables, resources, commands, events, tokens and elements. */
import { expect, test } from "vitest";
import { checkConnections } from "../../test/kit/connections.ts";
import { indexTree } from "../../test/kit/index-tree.ts";
import { BindingWorld } from "./bind/world.ts";
import { connectionsOf } from "./connections.ts";
import { referenceRules } from "./reference-rules.ts";

test("only files that may name a symbol are read to find what it serves", async () => {
  const { at } = await indexTree({
    "schema.sql": "CREATE TABLE orders (id int);\n",
    "app.js": "import { show } from './users.js';\napp.get('/users', show);\n",
    "users.js": "export function show() {}\nexport function plain() {}\n",
  });
  const graph = await connectionsOf(at, referenceRules);
  const read = async (path: string) => (await BindingWorld.of(at, referenceRules)).module(path) !== undefined;
  expect(await graph.to({ path: "users.js", index: 1 })).toEqual([]);
  expect([await read("schema.sql"), await read("app.js")]).toEqual([false, false]);
  expect((await graph.to({ path: "users.js", index: 0 })).map(({ name }) => name)).toEqual(["GET /users"]);
  expect([await read("schema.sql"), await read("app.js")]).toEqual([false, true]);
});

checkConnections(
  "tables of a schema and the queries in files and strings that use them",
  "table",
  {
    "schema.sql":
      "CREATE TABLE public.orders (\n  id int,\n  user_id int REFERENCES users (id)\n);\ncreate table users (id int);\n",
    "report.sql":
      'WITH recent AS (SELECT * FROM orders), x AS (SELECT 1)\nSELECT * FROM recent r, "Users" u JOIN x ON true -- FROM users\nWHERE a IS DISTINCT FROM b;\n',
    "orders.go":
      "package a\n\nfunc Save(db DB) {\n\tdb.Exec(`\n\t\tINSERT INTO orders (id)\n\t\tVALUES ($1) ON CONFLICT DO UPDATE SET id = 1`)\n}\n",
    "orders.py":
      'def drop(db):\n    db.execute("DELETE FROM orders "\n               "WHERE id IN (SELECT id FROM users)")\n',
    "orders.ts": "export const list = (knex) => knex('orders').join('users', 'a', 'b');\nArray.from('orders list');\n",
  },
  "orders schema.sql:1 → schema.sql orders",
  "users schema.sql:5 → schema.sql users",
  "use orders orders.go:5 literal_key",
  "use orders orders.py:2 literal_key",
  "use orders orders.ts:1 literal_key",
  "use orders report.sql:1 literal_key",
  "use users orders.py:3 literal_key",
  "use users orders.ts:1 literal_key",
  "use users report.sql:2 literal_key",
  "use users schema.sql:3 literal_key",
);

checkConnections(
  "tables of migrations, and the types that are mapped to them",
  "table",
  {
    "db/migrate/1_create.rb":
      "class CreateOrders < ActiveRecord::Migration[7.0]\n  def change\n    create_table :orders do |t|\n    end\n    add_index :orders, :id\n  end\nend\n",
    "Order.java": '@Entity\n@Table(name = "orders")\npublic class Order {\n}\n',
    "model.py": "class Order(Base):\n    __tablename__ = 'orders'\n",
    "shop/models.py":
      "class Order(models.Model):\n    name = 1\n\nclass Base(models.Model):\n    class Meta:\n        abstract = True\n",
    "order.go": 'package a\n\nfunc (Order) TableName() string { return "orders" }\n',
    "order.entity.ts": "@Entity('orders')\nexport class Order {}\n",
    "report.rb": 'Order.find_by_sql("select * from orders, shop_order")\n',
  },
  "orders Order.java:2 → Order.java Order",
  "orders db/migrate/1_create.rb:3 → db/migrate/1_create.rb change",
  "orders model.py:2 → model.py Order",
  "orders order.entity.ts:1 → order.entity.ts Order",
  "orders order.go:3 → order.go TableName",
  "shop_order shop/models.py:1 → shop/models.py Order",
  "use orders db/migrate/1_create.rb:5 literal_key",
  "use orders report.rb:1 literal_key",
  "use shop_order report.rb:1 literal_key",
);

checkConnections(
  "environment variables from the files that set them to the code that reads them",
  "env",
  {
    ".env.example": "# the database\nDATABASE_URL=postgres://\n#CACHE_URL=\n",
    "compose.yaml": `services:\n  api:\n    environment:\n      PORT: 80\n      # x\n      MODE:\n    image: x\n  web:\n    environment:\n      - API_KEY=\${API_KEY}\n      - HOST\n    command: x\n`,
    Dockerfile: "FROM node\nENV NODE_ENV=production\nARG VERSION\n",
    ".github/workflows/ci.yml":
      "env:\n  CI_LEVEL: 1\njobs:\n  a:\n    steps:\n      - run: x\n        env:\n          TOKEN: 1\n        name: y\n",
    "k8s.yaml":
      "spec:\n  containers:\n  - name: api\n    env:\n    - name: REGION\n      value: x\n    - name: ZONE\n      valueFrom:\n        fieldRef: a\n    image: b\n",
    "main.tf":
      'resource "aws_lambda_function" "f" {\n  environment {\n    variables = {\n      QUEUE = "x"\n    }\n  }\n}\n',
    "a.ts": "process.env.DATABASE_URL; process.env['PORT']; import.meta.env.MODE;\n",
    "b.py": 'import os\nos.environ["REGION"]\nos.getenv("ZONE", "")\nos.environ.get("QUEUE")\n',
    "c.go": 'package a\n\nvar x = os.Getenv("NODE_ENV")\n',
    "d.rb": 'ENV["VERSION"]\nENV.fetch("CI_LEVEL")\n',
    "e.rs": 'fn a() { std::env::var("TOKEN"); }\n',
    "F.java": 'class F { String a = System.getenv("HOST"); }\n',
    "g.cs": 'var a = Environment.GetEnvironmentVariable("CACHE_URL");\n',
    "h.php": "<?php\n$a = env('API_KEY', 1);\n",
  },
  "API_KEY compose.yaml:10 → compose.yaml web",
  "CACHE_URL .env.example:3 → ?",
  "CI_LEVEL .github/workflows/ci.yml:2 → .github/workflows/ci.yml env",
  "DATABASE_URL .env.example:2 → ?",
  "HOST compose.yaml:11 → compose.yaml web",
  "MODE compose.yaml:6 → compose.yaml api",
  "NODE_ENV Dockerfile:2 → Dockerfile NODE_ENV",
  "PORT compose.yaml:4 → compose.yaml api",
  "QUEUE main.tf:4 → main.tf f",
  "REGION k8s.yaml:5 → k8s.yaml spec",
  "TOKEN .github/workflows/ci.yml:8 → .github/workflows/ci.yml a",
  "VERSION Dockerfile:3 → Dockerfile VERSION",
  "ZONE k8s.yaml:7 → k8s.yaml spec",
  "use API_KEY compose.yaml:10 literal_key",
  "use API_KEY h.php:2 literal_key",
  "use CACHE_URL g.cs:1 literal_key",
  "use CI_LEVEL d.rb:2 literal_key",
  "use DATABASE_URL a.ts:1 literal_key",
  "use HOST F.java:1 literal_key",
  "use MODE a.ts:1 literal_key",
  "use NODE_ENV c.go:3 literal_key",
  "use PORT a.ts:1 literal_key",
  "use QUEUE b.py:4 literal_key",
  "use REGION b.py:2 literal_key",
  "use TOKEN e.rs:1 literal_key",
  "use VERSION d.rb:1 literal_key",
  "use ZONE b.py:3 literal_key",
);

checkConnections(
  "blocks of Terraform, each folder for itself",
  "resource",
  {
    "main.tf": `variable "region" {}\nlocals {\n  name = "orders-\${var.region}" # var.none\n}\nresource "aws_s3_bucket" "logs" {\n  bucket = local.name\n}\nmodule "net" {\n  source = "./net"\n  cidr   = aws_s3_bucket.logs.id\n}\n`,
    "out.tf": `output "vpc" {\n  value = "module.net \${module.net.vpc_id}"\n}\ndata "aws_region" "now" {}\n`,
    "net/main.tf": 'variable "cidr" {}\noutput "vpc_id" {\n  value = var.cidr\n}\n',
  },
  "aws_s3_bucket.logs main.tf:5 → main.tf logs",
  "data.aws_region.now out.tf:4 → out.tf now",
  "local.name main.tf:3 → main.tf name",
  "module.net main.tf:8 → main.tf net",
  "net/output.vpc_id net/main.tf:2 → net/main.tf vpc_id",
  "net/var.cidr net/main.tf:1 → net/main.tf cidr",
  "output.vpc out.tf:1 → out.tf vpc",
  "use aws_s3_bucket.logs main.tf:10 literal_key",
  "use local.name main.tf:6 literal_key",
  "use module.net out.tf:2 literal_key",
  "use net/var.cidr main.tf:10 literal_key",
  "use net/var.cidr net/main.tf:3 literal_key",
  "use var.region main.tf:3 literal_key",
  "var.region main.tf:1 → main.tf region",
);

checkConnections(
  "workflows, the scripts that they run, and what these run",
  "script",
  {
    ".github/workflows/ci.yml":
      "jobs:\n  a:\n    steps:\n      - uses: ./.github/actions/setup\n      - run: npm ci && npm run build\n      - run: npm test\n        working-directory: web\n      - run: |\n          ./scripts/check.sh\n          make -C tools lint\n      - uses: actions/checkout@v4\n",
    ".github/actions/setup/action.yml": "runs:\n  using: composite\n",
    "package.json":
      '{\n  "name": "a",\n  "scripts": {\n    "build": "npm run clean && node scripts/build.js",\n    "clean": "rm -r dist"\n  }\n}\n',
    "web/package.json": '{\n  "scripts": { "test": "vitest" }\n}\n',
    "scripts/check.sh": "#!/bin/sh\nmake all\nbash scripts/other.sh\n",
    "scripts/other.sh": "echo\n",
    "scripts/build.js": "build();\n",
    Makefile: "all: x\n\t./scripts/check.sh\n",
    "tools/Makefile": "lint:\n\techo\n",
  },
  ".github/actions/setup .github/actions/setup/action.yml:1 → ?",
  ".github/workflows/ci.yml .github/workflows/ci.yml:1 → ?",
  "make all Makefile:1 → Makefile all",
  "npm run build package.json:4 → package.json build",
  "npm run clean package.json:5 → package.json clean",
  "scripts/build.js scripts/build.js:1 → ?",
  "scripts/check.sh scripts/check.sh:1 → ?",
  "scripts/other.sh scripts/other.sh:1 → ?",
  "tools: make lint tools/Makefile:1 → tools/Makefile lint",
  "use .github/actions/setup .github/workflows/ci.yml:4 literal_key",
  "use make all scripts/check.sh:2 literal_key",
  "use npm run build .github/workflows/ci.yml:5 literal_key",
  "use npm run clean package.json:4 literal_key",
  "use scripts/build.js package.json:4 literal_key",
  "use scripts/check.sh .github/workflows/ci.yml:9 literal_key",
  "use scripts/check.sh Makefile:2 literal_key",
  "use scripts/other.sh scripts/check.sh:3 literal_key",
  "use tools: make lint .github/workflows/ci.yml:10 literal_key",
  "use web: npm run test .github/workflows/ci.yml:6 literal_key",
  "web: npm run test web/package.json:2 → web/package.json test",
);

checkConnections(
  "events from those who send them to those who listen",
  "event",
  {
    "a.ts":
      "import { onPaid } from './b';\nbus.on('order.paid', onPaid);\nbus.on('order.paid', () => {});\nbus.on('error', onPaid);\nbus.emit('error');\nemit('order.paid');\n",
    "b.ts": "export function onPaid() {}\n",
    "c.ts": "export function pay() {\n  bus.emit('order.paid', 1);\n}\n",
    "d.php": "<?php\nEvent::listen('order.paid', f);\nevent('order.paid');\n",
  },
  "order.paid a.ts:2 → b.ts onPaid",
  "order.paid a.ts:3 → ?",
  "order.paid d.php:2 → ?",
  "use order.paid c.ts:2 literal_key",
  "use order.paid d.php:3 literal_key",
);

checkConnections(
  "tokens of injection",
  "injection",
  {
    "module.ts": "import { Store } from './store';\nconst a = { provide: 'STORE', useClass: Store };\n",
    "store.ts": "export class Store {}\n",
    "service.ts": "export class Service {\n  constructor(@Inject('STORE') private store) {}\n}\n",
    "Page.vue": "<script setup>\nprovide('theme', dark);\nconst x = inject('theme');\n</script>\n",
  },
  "STORE module.ts:2 → store.ts Store",
  "theme Page.vue:2 → ?",
  "use STORE service.ts:2 literal_key",
  "use theme Page.vue:3 literal_key",
);

checkConnections(
  "ids of elements and custom elements",
  "element",
  {
    "index.html":
      '<label for="email">E</label><input id="email">\n<a href="#top">x</a><user-card></user-card>\n<h1 id="top">t</h1>\n<script>document.getElementById("email").focus();</script>\n',
    "other.html": '<h1 id="top">t</h1>\n<a href="#top">x</a>\n',
    "card.ts": "class UserCard extends HTMLElement {}\ncustomElements.define('user-card', UserCard);\n$('#top');\n",
  },
  "#email index.html:1 → ?",
  "#top index.html:3 → ?",
  "#top other.html:1 → ?",
  "use #top other.html:2 literal_key",
  "<user-card> card.ts:2 → card.ts UserCard",
  "use #email index.html:1 literal_key",
  "use #email index.html:4 literal_key",
  "use #top card.ts:3 literal_key",
  "use #top index.html:2 literal_key",
  "use <user-card> index.html:2 literal_key",
);

checkConnections(
  "gRPC services, what implements them, and calls of their clients",
  "rpc",
  {
    "shop.proto":
      'syntax = "proto3";\nservice OrderService {\n  rpc PlaceOrder(Order) returns (Order);\n  rpc ListOrders(Order) returns (stream Order);\n}\n',
    "server.py":
      "class Orders(shop_pb2_grpc.OrderServiceServicer):\n    def PlaceOrder(self, request, context):\n        return self.check(request)\n\n    def check(self, request):\n        return request\n",
    "client.py":
      "stub = shop_pb2_grpc.OrderServiceStub(channel)\n\ndef place():\n    return stub.PlaceOrder(Order())\n",
    "server.go":
      "package shop\n\ntype server struct {\n\tpb.UnimplementedOrderServiceServer\n}\n\nfunc (s *server) ListOrders(ctx context.Context) {}\nfunc (s *server) check() {}\n",
    "client.go":
      "package shop\n\nfunc list(conn *grpc.ClientConn) {\n\tclient := pb.NewOrderServiceClient(conn)\n\tclient.ListOrders(ctx, nil)\n}\n",
    "Server.java":
      "class Server extends OrderServiceGrpc.OrderServiceImplBase {\n  @Override public void placeOrder(Order o) {}\n}\n",
    "Client.java":
      "class Client {\n  private final OrderServiceGrpc.OrderServiceBlockingStub stub;\n  void run() { stub.placeOrder(null); }\n}\n",
    "Server.cs":
      "class Server : Shop.OrderService.OrderServiceBase {\n  public override Task<Order> PlaceOrder(Order o) { return null; }\n}\n",
    "src/server.rs":
      "struct My;\n\n#[tonic::async_trait]\nimpl OrderService for My {\n    async fn place_order(&self) {}\n}\n\nimpl My {\n    fn helper(&self) {}\n}\n",
    "server.js":
      "const grpc = require('@grpc/grpc-js');\nfunction placeOrder(call) {}\nserver.addService(proto.OrderService.service, { placeOrder, listOrders: list });\nfunction list(call) {}\n",
    "client.js":
      "const client = new proto.OrderService('x:1', grpc.credentials.createInsecure());\nexport const run = () => client.placeOrder({}, done);\n",
  },
  "OrderService/PlaceOrder shop.proto:3 → shop.proto PlaceOrder",
  "OrderService/ListOrders shop.proto:4 → shop.proto ListOrders",
  "OrderService/PlaceOrder server.py:2 → server.py PlaceOrder",
  "OrderService/ListOrders server.go:7 → server.go ListOrders",
  "OrderService/PlaceOrder Server.java:2 → Server.java placeOrder",
  "OrderService/PlaceOrder Server.cs:2 → Server.cs PlaceOrder",
  "OrderService/PlaceOrder src/server.rs:5 → src/server.rs place_order",
  "OrderService/PlaceOrder server.js:3 → server.js placeOrder",
  "OrderService/ListOrders server.js:3 → server.js list",
  "use OrderService/PlaceOrder client.py:4 literal_key",
  "use OrderService/ListOrders client.go:5 literal_key",
  "use OrderService/PlaceOrder Client.java:3 literal_key",
  "use OrderService/PlaceOrder client.js:2 literal_key",
);

checkConnections(
  "fields of GraphQL's root types, their resolvers, and the operations that ask for them",
  "graphql",
  {
    "schema.graphql":
      "type Query {\n  order(id: ID!): Order\n  orders: [Order!]\n}\n\nextend type Mutation {\n  placeOrder(input: In!): Order\n}\n\ntype Order {\n  id: ID!\n}\n",
    "load.graphql":
      "query Load($id: ID! = {a: 1}) @live {\n  # order\n  first: order(id: $id) {\n    id\n    orders\n  }\n  ...Rest\n}\n",
    "resolvers.ts":
      'export const resolvers = {\n  Query: {\n    order: async (_: unknown, { id }: Args) => find(id, "x"),\n    orders,\n  },\n  Order: { id: () => 1 },\n  Mutation: {\n    async placeOrder(_, { input }) {\n      return input;\n    },\n  },\n};\n',
    "page.tsx":
      "const PLACE = gql`\n  mutation Place($input: In!) {\n    placeOrder(input: $input) {\n      id\n    }\n  }\n`;\n",
    "resolver.go":
      "package graph\n\ntype queryResolver struct{}\n\nfunc (r *queryResolver) Order(ctx context.Context, id string) {}\n",
    "schema.py":
      "import graphene\n\nclass Query(graphene.ObjectType):\n    def resolve_order(self, info, id):\n        return id\n",
    "api.py":
      "import strawberry\n\n@strawberry.type\nclass Mutation:\n    @strawberry.mutation\n    def place_order(self) -> int:\n        return 1\n",
    "OrderController.java":
      'class OrderController {\n  @QueryMapping\n  public Order order(@Argument String id) { return null; }\n  @MutationMapping("placeOrder")\n  public Order place() { return null; }\n}\nclass Repository {\n  @Query("select o from Order o")\n  List<Order> all();\n}\n',
    "order.resolver.ts":
      '@Resolver()\nexport class OrderResolver {\n  @Query(() => [Order], { name: "orders" })\n  findAll() {\n    return [];\n  }\n}\n',
  },
  "Query.order schema.graphql:2 → schema.graphql order",
  "Query.orders schema.graphql:3 → schema.graphql orders",
  "Mutation.placeOrder schema.graphql:7 → schema.graphql placeOrder",
  "Query.order resolvers.ts:3 → resolvers.ts resolvers",
  "Query.orders resolvers.ts:4 → resolvers.ts resolvers",
  "Mutation.placeOrder resolvers.ts:8 → resolvers.ts resolvers",
  "Query.order resolver.go:5 → resolver.go Order",
  "Query.order schema.py:4 → schema.py resolve_order",
  "Mutation.placeOrder api.py:5 → api.py place_order",
  "Query.order OrderController.java:2 → OrderController.java order",
  "Mutation.placeOrder OrderController.java:4 → OrderController.java place",
  "Query.orders order.resolver.ts:3 → order.resolver.ts findAll",
  "use Query.order load.graphql:3 literal_key",
  "use Mutation.placeOrder page.tsx:3 literal_key",
);

checkConnections(
  "commands in comments and messages, and those of the package manager itself, run no script",
  "script",
  {
    "package.json": '{\n  "scripts": {\n    "test": "bun test",\n    "all": "bun run test"\n  }\n}\n',
    Makefile:
      "build: # see npm run test\n\techo 'run \"make build\" first'\n# Example: make build\ncheck:\n\tmake build\n",
  },
  "npm run test package.json:3 → package.json test",
  "npm run all package.json:4 → package.json all",
  "make build Makefile:1 → Makefile build",
  "make check Makefile:4 → Makefile check",
  "use npm run test package.json:4 literal_key",
  "use make build Makefile:5 literal_key",
);

checkConnections(
  "a test's own schema is no part of the application's",
  "graphql",
  {
    "schema.graphql": "type Query {\n  hello: String\n}\n",
    "load.graphql": "query Load {\n  hello\n}\n",
    "tests/a.test.ts": "const schema = gql`type Query { hello: Int }`;\nconst asked = gql`query A { hello }`;\n",
  },
  "Query.hello schema.graphql:2 → schema.graphql hello",
  "Query.hello tests/a.test.ts:1 → tests/a.test.ts hello",
  "use Query.hello load.graphql:2 literal_key",
  "use Query.hello tests/a.test.ts:2 literal_key",
);

checkConnections(
  "settings from the files that define them to the code that reads them",
  "config",
  {
    "config/app.php":
      "<?php\nreturn [\n    'name' => env('APP_NAME'),\n    'mail' => [\n        'from-address' => 'a@b.c',\n    ],\n];\n",
    "app/Mail.php": "<?php\nfunction send() {\n    return config('app.mail.from-address');\n}\n",
    "src/main/resources/application.yml": "app:\n  jwt:\n    signing-key: x\nserver:\n  port: 80\n",
    "src/Jwt.java":
      'class Jwt {\n  @Value("\u0024{app.jwt.signing-key:none}") String key;\n  int port() { return env.getProperty("server.port"); }\n}\n@ConfigurationProperties("app.jwt")\nclass JwtSettings {\n}\n',
    "appsettings.json":
      '{\n  "Jwt": { "Key": "x", "Audiences": [{ "Name": "y" }] },\n  "ConnectionStrings": { "Shop": "z" }\n}\n',
    "Startup.cs":
      'class Startup {\n  void Run() {\n    var a = Configuration["Jwt:Key"];\n    var b = _configuration.GetConnectionString("Shop");\n  }\n}\n',
    "config/default.json": '{ "db": { "host": "h" } }\n',
    "db.js": "const config = require('config');\nfunction connect() { return config.get('db.host'); }\n",
    "settings.toml": '[server]\nhost = "h"\n',
    "main.go":
      'package main\n\nfunc main() {\n\tviper.SetDefault("log.level", "info")\n\tprintln(viper.GetString("log.level"), viper.GetString("server.host"))\n}\n',
    "app.py": "def run(app):\n    app.config['MAX_SIZE'] = 1\n    return current_app.config['MAX_SIZE']\n",
    "locales/en/config.yml": "app:\n  name: x\n",
  },
  "maxsize app.py:2 → app.py run",
  "jwt appsettings.json:2 → appsettings.json Jwt",
  "jwt.audiences appsettings.json:2 → appsettings.json Jwt",
  "jwt.key appsettings.json:2 → appsettings.json Jwt",
  "connectionstrings appsettings.json:3 → appsettings.json ConnectionStrings",
  "connectionstrings.shop appsettings.json:3 → appsettings.json ConnectionStrings",
  "app.name config/app.php:3 → ?",
  "app.mail config/app.php:4 → ?",
  "app.mail.fromaddress config/app.php:5 → ?",
  "db config/default.json:1 → config/default.json db",
  "db.host config/default.json:1 → config/default.json db",
  "log.level main.go:4 → main.go main",
  "server settings.toml:1 → settings.toml server",
  "server.host settings.toml:2 → settings.toml host",
  "app src/main/resources/application.yml:1 → src/main/resources/application.yml app",
  "app.jwt src/main/resources/application.yml:2 → src/main/resources/application.yml app",
  "app.jwt.signingkey src/main/resources/application.yml:3 → src/main/resources/application.yml app",
  "server src/main/resources/application.yml:4 → src/main/resources/application.yml server",
  "server.port src/main/resources/application.yml:5 → src/main/resources/application.yml server",
  "use jwt.key Startup.cs:3 literal_key",
  "use connectionstrings.shop Startup.cs:4 literal_key",
  "use maxsize app.py:3 literal_key",
  "use app.mail.fromaddress app/Mail.php:3 literal_key",
  "use db.host db.js:2 literal_key",
  "use log.level main.go:5 literal_key",
  "use server.host main.go:5 literal_key",
  "use app.jwt.signingkey src/Jwt.java:2 literal_key",
  "use server.port src/Jwt.java:3 literal_key",
  "use app.jwt src/Jwt.java:5 literal_key",
);

checkConnections(
  "signals of Django, events and jobs of Laravel, events of Spring",
  "event",
  {
    "shop/signals.py": "from django.dispatch import Signal\norder_placed = Signal()\n",
    "shop/receivers.py":
      "from shop.signals import order_placed\n\n@receiver([order_placed, post_save])\ndef notify(sender, **kwargs):\n    pass\n\norder_placed.connect(notify)\n",
    "shop/views.py":
      "from shop import signals\n\ndef place(request):\n    signals.order_placed.send(sender=None)\n    socket.send(b'x')\n",
    "app/Listeners/SendMail.php":
      "<?php\nclass SendMail {\n    public function handle(OrderPlaced $event): void {}\n}\n",
    "app/Jobs/Import.php": "<?php\nclass Import {\n    public function handle() {}\n}\n",
    "app/Orders.php":
      "<?php\nclass Orders {\n    public function place() {\n        event(new OrderPlaced($this));\n        Import::dispatch(1);\n    }\n}\n",
    "Mailer.java":
      "class Mailer {\n  @EventListener\n  void on(OrderPaid event) {}\n}\nclass Payments {\n  void pay() { publisher.publishEvent(new OrderPaid(1)); }\n}\n",
  },
  "OrderPaid Mailer.java:3 → Mailer.java on",
  "Import app/Jobs/Import.php:3 → app/Jobs/Import.php handle",
  "OrderPlaced app/Listeners/SendMail.php:3 → app/Listeners/SendMail.php handle",
  "order_placed shop/receivers.py:3 → shop/receivers.py notify",
  "order_placed shop/receivers.py:7 → shop/receivers.py notify",
  "use OrderPaid Mailer.java:6 literal_key",
  "use OrderPlaced app/Orders.php:4 literal_key",
  "use Import app/Orders.php:5 literal_key",
  "use order_placed shop/views.py:4 literal_key",
);

// Bullet's soft body: positions corrected link by link, `iterations` times a step.
#include "peers.h"

#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <vector>

static btSoftBody *make_curtain(btSoftBodyWorldInfo *info, int side, std::vector<int> &threads)
{
    std::vector<btVector3> place;
    float spacing = 1.0f / (side - 1);
    for (int r = 0; r < side; r++)
        for (int c = 0; c < side; c++) place.push_back(btVector3(c * spacing, -r * spacing, 0));
    btSoftBody *body = new btSoftBody(info, side * side, place.data(), 0);
    auto link = [&](int r, int c, int dr, int dc) {
        if (r + dr >= side || c + dc >= side || c + dc < 0) return;
        if ((dr == 0) != (dc == 0) && dr + dc == 1) threads.push_back(body->m_links.size());
        body->appendLink(r * side + c, (r + dr) * side + c + dc);
    };
    for (int r = 0; r < side; r++)
        for (int c = 0; c < side; c++) { // the springs of our grid
            link(r, c, 0, 1), link(r, c, 1, 0), link(r, c, 1, 1);
            link(r, c, 1, -1), link(r, c, 0, 2), link(r, c, 2, 0);
        }
    body->m_materials[0]->m_kLST = 1;
    body->setTotalMass(0.2f);
    for (int c = 0; c < side; c++) body->setMass(c, 0);
    return body;
}

CurtainRun curtain_bullet(int side, int iterations, int steps_per_second)
{
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, -9.81f, 0));
    world.getWorldInfo().m_gravity = world.getGravity();
    std::vector<int> threads;
    btSoftBody *body = make_curtain(&world.getWorldInfo(), side, threads);
    body->m_cfg.piterations = iterations;
    body->m_cfg.kDP = 0.01f;
    body->m_cfg.collisions = 0;
    world.addSoftBody(body);
    CurtainRun run = {0, 0};
    int every = std::max(1, steps_per_second / 60);
    for (int i = 1; i <= steps_per_second; i++) {
        double start = peers_seconds();
        world.stepSimulation(1.0f / steps_per_second, 0, 1.0f / steps_per_second);
        run.seconds += peers_seconds() - start;
        if (i % every != 0 || 2 * i < steps_per_second) continue;
        for (int t : threads) {
            const btSoftBody::Link &l = body->m_links[t];
            double length = (l.m_n[0]->m_x - l.m_n[1]->m_x).length();
            run.stretch = std::max(run.stretch, length / l.m_rl - 1.0);
        }
    }
    world.removeSoftBody(body);
    delete body;
    return run;
}
